import type { RelayOutcome } from './sendNote.ts';

/**
 * What the words of a refusal mean, by the prefix before the colon (NIP-01, NIP-42). Definite, whatever they are.
 * `pow` is about the relay and not about the note: it would refuse every one of them.
 */
export function refusalOf(words: string): RelayOutcome {
  const detail = words === '' ? 'it refused without a word' : words;
  const blocked = { kind: 'blocked', scope: 'channel', isGone: false } as const;
  const failed = { kind: 'failed', isFinal: false, blames: 'channel', detail } as const;

  switch (/^([a-z-]+):/i.exec(words)?.[1]?.toLowerCase()) {
    case 'duplicate':
      return { kind: 'taken' };
    case 'rate-limited':
      return { kind: 'throttled', scope: 'channel', code: 'rate_limited', detail, until: null };
    case 'blocked':
    case 'restricted':
      return { ...blocked, code: 'forbidden', detail };
    case 'auth-required':
      return {
        ...blocked,
        code: 'unauthorized',
        detail: `${detail} (Headway does not log in to relays: take another one)`,
      };
    case 'pow':
      return {
        ...blocked,
        code: 'forbidden',
        detail: `${detail} (Headway computes no proof of work: take another one)`,
      };
    case 'invalid':
      // A clock that is wrong, there or here: the next try bears another instant.
      if (/created.?at|creation date|timestamp/i.test(words)) return { ...failed, code: 'rejected' };
      return { ...failed, code: 'rejected', isFinal: true, blames: 'article' };
    case 'error':
      return { ...failed, code: 'server_error' };
    default:
      return { ...failed, code: 'rejected' };
  }
}
