/**
 * Makes texts of the ids of a JSON Feed that are long numbers: as numbers they lose their last digits, and
 * different items become one. Expects JSON; a text in it cannot hold the key, whose quotes would be escaped.
 */
export function withQuotedIds(json: string): string {
  return json.replace(/("id"\s*:\s*)(-?\d{16,100})(?=\s*[,}])/g, '$1"$2"');
}
