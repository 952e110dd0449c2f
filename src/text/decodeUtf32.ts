const maxCodePoint = 0x10ffff;
const chunkUnits = 4096;

/** Decodes UTF-32, which TextDecoder lacks. What is no code point becomes U+FFFD; a cut last unit is dropped. */
export function decodeUtf32(bytes: Uint8Array, isLittleEndian: boolean): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength - (bytes.byteLength % 4));
  const chunks: string[] = [];
  for (let start = 0; start < view.byteLength; start += chunkUnits * 4) {
    const codePoints: number[] = [];
    for (let at = start; at < Math.min(view.byteLength, start + chunkUnits * 4); at += 4) {
      const codePoint = view.getUint32(at, isLittleEndian);
      codePoints.push(codePoint > maxCodePoint ? 0xfffd : codePoint);
    }
    chunks.push(String.fromCodePoint(...codePoints));
  }
  return chunks.join('');
}
