/** An answer's body as JSON, for a schema to parse; null: it is none, or was cut off. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
