/** 0x80 to 0x9F in order; the five that windows-1252 leaves open stay control characters. */
const upperControls = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** Decodes windows-1252, every byte of it. Node 20's own TextDecoder takes it for ISO-8859-1 and loses the quotes. */
export function decodeWindows1252(bytes: Uint8Array): string {
  const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  return latin1.replace(/[\u0080-\u009f]/g, control => upperControls.charAt(control.charCodeAt(0) - 0x80));
}
