/** A text as PostgreSQL takes it: without NUL, and with U+FFFD for half of a surrogate pair. */
export function storable(text: string): string {
  return text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '\uFFFD');
}
