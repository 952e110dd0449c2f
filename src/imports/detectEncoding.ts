import { isAscii } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { declaredEncodings } from '../ingestion/decodeFeed.ts';
import { isSingleByte } from '../text/encodings.ts';

const headBytes = 1024;

/**
 * The encoding of a text file, by its bytes, all of them: byte order mark, UTF-16 by its zeros, what it declares
 * as XML, valid UTF-8, windows-1252, in this order and by the rules that hold for feeds. Labels lie, bytes do
 * not. Little memory, whatever the size.
 */
export async function detectEncoding(path: string, signal: AbortSignal): Promise<string> {
  const decoder = new TextDecoder('utf-8');
  let head: Buffer | null = null;
  let isPlain = true;
  const seen = { broken: 0, sound: 0 };
  const count = (text: string) => {
    seen.broken += text.match(/\uFFFD/g)?.length ?? 0;
    seen.sound += text.match(/[^\p{ASCII}\uFFFD]/gu)?.length ?? 0;
  };
  for await (const chunk of createReadStream(path, { signal })) {
    head ??= (chunk as Buffer).subarray(0, headBytes);
    const wide = wideEncoding(head);
    if (wide !== null) return wide;
    // A character that the chunks part is carried over in the decoder.
    if (isPlain && isAscii(chunk)) continue;
    isPlain = false;
    count(decoder.decode(chunk, { stream: true }));
  }
  count(decoder.decode());
  return decide(declaredEncodings(head ?? new Uint8Array(), null), seen);
}

function wideEncoding(head: Uint8Array): string | null {
  const [a, b] = head;
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  if (a === undefined || b === undefined) return null;
  if (b === 0 && a !== 0) return 'utf-16le';
  return a === 0 && b !== 0 ? 'utf-16be' : null;
}

function decide(labels: readonly string[], { broken, sound }: { broken: number; sound: number }): string {
  const label = labels.find(each => each !== 'utf-8' || broken === 0) ?? null;
  if (broken === 0) {
    const isDisproved = label !== null && isSingleByte(label) && sound > 0;
    return label === null || isDisproved ? 'utf-8' : label;
  }
  if (label !== null) return label;
  return sound > broken ? 'utf-8' : 'windows-1252';
}
