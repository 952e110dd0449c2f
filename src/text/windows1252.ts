/** 0x80 to 0x9F in order; the five that windows-1252 leaves open stay control characters. */
const upperControls = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** Decodes windows-1252, every byte of it. Node 20's own TextDecoder takes it for ISO-8859-1 and loses the quotes. */
export function decodeWindows1252(bytes: Uint8Array): string {
  const start = bytes.findIndex(isUpperControl);
  const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  return start === -1 ? latin1 : latin1.slice(0, start) + decodeRest(bytes.subarray(start));
}

/** Unit by unit: to replace them in a text takes ten times as long where all are such. */
function decodeRest(bytes: Uint8Array): string {
  const units = Buffer.alloc(bytes.length * 2);
  for (const [at, byte] of bytes.entries()) {
    units.writeUInt16LE(isUpperControl(byte) ? upperControls.charCodeAt(byte - 0x80) : byte, at * 2);
  }
  return units.toString('utf16le');
}

/** A text in which somebody took windows-1252 for ISO-8859-1, with the quotes and dashes that were meant. */
export function withMeantQuotes(text: string): string {
  return text.replace(/[\u0080-\u009f]/g, control => upperControls.charAt(control.charCodeAt(0) - 0x80));
}

function isUpperControl(byte: number): boolean {
  return byte >= 0x80 && byte <= 0x9f;
}
