import type { GuardedFetch } from './guardedFetch.ts';

export type FetchedImage =
  /** `mediaType`: told from its bytes. */
  { kind: 'image'; bytes: Buffer; mediaType: string } | { kind: 'unavailable'; detail: string };

export type ImageLimits = { maxBytes: number; signal: AbortSignal };

// A picture is not worth more of a tick's time.
const timeoutMs = 10_000;

/**
 * Makes what fetches an article's picture. It is a picture by its own first bytes: what a server calls one may
 * be a page that says "not found". Whatever goes wrong is said in words; it never throws.
 */
export function createFetchImage(fetch: GuardedFetch) {
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
  if (head.slice(4, 8) === 'ftyp' && ['avif', 'avis'].includes(head.slice(8))) return 'image/avif';
  return null;
}
