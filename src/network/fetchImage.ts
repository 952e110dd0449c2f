import type { GuardedFetch } from './guardedFetch.ts';

export type FetchedImage =
  /** `mediaType`: told from its bytes. */
  { kind: 'image'; bytes: Buffer; mediaType: string } | { kind: 'unavailable'; detail: string };

export type ImageLimits = { maxBytes: number; signal: AbortSignal };

// A picture is not worth more of a tick's time.
const longestMs = 10_000;

/**
 * Makes what fetches an article's picture. It is a picture by its own first bytes: what a server calls one may
 * be a page that says "not found". Whatever goes wrong is said in words; it never throws. `timeoutMs`: for all
 * of one picture.
 */
export function createFetchImage(fetch: GuardedFetch, { timeoutMs = longestMs } = {}) {
  return async (url: string, { maxBytes, signal }: ImageLimits): Promise<FetchedImage> => {
    const options = { headers: { accept: 'image/*' }, maxBodyBytes: maxBytes, timeoutMs, signal };
    const answer = await fetch(url, options);
    if (answer.kind === 'failed') return unavailable(`${answer.failure}: ${answer.detail}`);
    if (answer.status !== 200) return unavailable(`HTTP ${answer.status}`);
    const mediaType = imageType(answer.body);
    return mediaType ? { kind: 'image', bytes: answer.body, mediaType } : unavailable('it is no picture');
  };
}

function unavailable(detail: string): FetchedImage {
  return { kind: 'unavailable', detail };
}

/** The type of a picture by its first bytes; null: it is none that platforms take. */
export function imageType(bytes: Buffer): string | null {
  const head = bytes.subarray(0, 12).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'image/gif';
  if (head.startsWith('RIFF') && head.slice(8) === 'WEBP') return 'image/webp';
  return isAvif(bytes) ? 'image/avif' : null;
}

// Its first box lists brands of 4 bytes each: one is the major one, which may be that of the whole family
// (https://aomediacodec.github.io/av1-avif/#brands-overview).
function isAvif(bytes: Buffer): boolean {
  if (bytes.length < 12 || bytes.toString('latin1', 4, 8) !== 'ftyp') return false;
  const box = bytes.toString('latin1', 8, Math.min(bytes.readUInt32BE(0), longestBoxBytes));
  const brands: readonly string[] = box.match(/.{4}/gs) ?? [];
  return brands.includes('avif') || brands.includes('avis');
}

const longestBoxBytes = 256;
