import type { SendRequest } from '../channels/sendRequest.ts';

/**
 * Takes out of what people read whatever a remote side was told in confidence: one that repeats a request in
 * its error would have it written into logs and tables.
 */
export type SecretFilter = {
  /** Learns the values of the secret keys among settings or credentials. */
  learn(values: unknown, secretKeys: readonly string[]): void;
  /** A request helper of which each token is learnt before it is sent. */
  listen(send: SendRequest): SendRequest;
  /** The answer with `…` for each secret in its words: `detail`, `notes`, `findings` and `refusal`. */
  hideIn<Answer extends object>(answer: Answer): Answer;
};

// Shorter ones would be found in the middle of words.
const shortestChars = 4;
const shortestTokenChars = 12;
// What a server gives out, in an answer that is not what was expected, is known by its form alone.
const issuedFields = /("\w*(?:jwt|token|password|secret)\w*"\s*:\s*)"[^"]*"?/gi;
const jsonWebTokens = /\beyJ[\w-]{8,}(\.[\w-]*)*/g;
const wordsOfAnswers: readonly string[] = ['detail', 'notes', 'findings', 'refusal'];

/** Makes a filter that knows nothing yet. */
export function createSecretFilter(): SecretFilter {
  const known = new Set<string>();

  function learnOne(secret: unknown): void {
    if (typeof secret !== 'string') return;
    for (const form of formsOf(secret)) if (form.length >= shortestChars) known.add(form);
  }

  function hide(text: string): string {
    const longestFirst = [...known].sort((a, b) => b.length - a.length);
    const shown = longestFirst.reduce(
      (rest, secret) => withoutCut(rest.replaceAll(secret, '…'), secret),
      text,
    );
    return shown.replace(issuedFields, '$1"…"').replace(jsonWebTokens, '…');
  }

  function hidden(value: unknown): unknown {
    if (typeof value === 'string') return hide(value);
    if (Array.isArray(value)) return value.map(hidden);
    return typeof value === 'object' && value !== null ? hideIn(value) : value;
  }

  function hideIn<Answer extends object>(answer: Answer): Answer {
    const words = Object.entries(answer).filter(([key]) => wordsOfAnswers.includes(key));
    return Object.assign({}, answer, Object.fromEntries(words.map(([key, value]) => [key, hidden(value)])));
  }

  return {
    learn(values, secretKeys) {
      const entries = Object.entries(Object(values)).filter(([key]) => secretKeys.includes(key));
      for (const secret of entries.flatMap(([, value]) => value)) learnOne(secret);
    },
    listen: send => request => {
      learnOne(tokenOf(request.headers));
      return send(request);
    },
    hideIn,
  };
}

function tokenOf(headers: Readonly<Record<string, string>>): string | undefined {
  const [, value] = Object.entries(headers).find(([name]) => name.toLowerCase() === 'authorization') ?? [];
  return value?.replace(/^\S+\s+/, '');
}

/** As it is written in JSON and in URLs, too; of a URL that is a secret as a whole, what it is secret by. */
function formsOf(secret: string): string[] {
  const forms = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)];
  if (!/^https?:/.test(secret) || !URL.canParse(secret)) return forms;
  const { pathname } = new URL(secret);
  const tokens = pathname.split('/').filter(part => part.length >= shortestTokenChars);
  return [...forms, ...tokens];
}

// An answer is quoted up to some length, which may be in the middle of one.
function withoutCut(text: string, secret: string): string {
  if (!text.endsWith('…')) return text;
  const quoted = text.slice(0, -1);
  for (let length = secret.length - 1; length >= shortestChars; length--) {
    if (quoted.endsWith(secret.slice(0, length))) return `${quoted.slice(0, -length)}…`;
  }
  return text;
}
