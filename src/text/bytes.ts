/** How many bytes a text takes in UTF-8; half a surrogate pair, which has no form there, counts 3. */
export function bytes(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
