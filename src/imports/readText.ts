import { createReadStream } from 'node:fs';
import { decodeWindows1252 } from '../text/windows1252.ts';

/** The text of a file, little by little. `encoding`: a WHATWG name. Throws the signal's reason when it is aborted. */
export async function* readText(path: string, encoding: string, signal: AbortSignal): AsyncGenerator<string> {
  const decode = decoderOf(encoding);
  for await (const chunk of createReadStream(path, { signal })) yield decode(chunk);
  yield decode(null);
}

function decoderOf(encoding: string): (chunk: Buffer | null) => string {
  // Node's own loses the quotes of windows-1252.
  if (encoding === 'windows-1252') return chunk => (chunk === null ? '' : decodeWindows1252(chunk));
  const decoder = new TextDecoder(encoding);
  return chunk => (chunk === null ? decoder.decode() : decoder.decode(chunk, { stream: true }));
}
