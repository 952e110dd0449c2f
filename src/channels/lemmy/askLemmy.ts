import type { z } from 'zod';
import { type Answer, describeAnswer, outcomeBeforePost } from '../answerOutcome.ts';
import type { LookUpAnswer, NotComposed } from '../Channel.ts';
import { parseJson } from '../json.ts';
import { behindMs } from '../remoteClock.ts';
import type { OutgoingRequest, RequestResult, SendRequest } from '../sendRequest.ts';
import { refusalIn } from './refusals.ts';

/** Who asks, and where. */
export type Asker = {
  instance: string;
  /** Null: nobody is logged in. */
  jwt: string | null;
  /** When: limits that end so many seconds later count from it. */
  at: Date;
  send: SendRequest;
};

export type Query = Readonly<Record<string, string | number | boolean | null>>;

/** What is asked, and how its answer is read. */
export type Question<Said> = { path: string; query?: Query; schema: z.ZodType<Said> };

/** `behindMs`: how far the instance's clock is behind ours. */
export type Asked<Said> = { kind: 'said'; said: Said; behindMs: number } | NotSaid;
/** `status` null: there was no answer. */
export type NotSaid = { kind: 'not_said'; status: number | null; why: NotComposed };

// A list of posts with their bodies, 50,000 characters each at most.
const maxAnswerBytes = 8 * 1024 * 1024;

/** Asks one question; nothing about it is unknown, as it may be asked again. */
export async function askLemmy<Said>(
  asker: Asker,
  { path, query = {}, schema }: Question<Said>,
): Promise<Asked<Said>> {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== null) parameters.set(name, String(value));
  const result = await request(asker, { method: 'GET', path: `${path}?${parameters}`, body: null });
  return readAnswer(asker, result, schema);
}

/** Sends a form. */
export function request(
  { instance, jwt, send }: Asker,
  {
    method,
    path,
    body,
    headers,
  }: { method: OutgoingRequest['method']; path: string; body: unknown; headers?: Record<string, string> },
): Promise<RequestResult> {
  return send({
    method,
    url: `${instance}${path}`,
    headers: {
      accept: 'application/json',
      ...(body !== null && { 'content-type': 'application/json' }),
      ...headers,
      ...(jwt !== null && { authorization: `Bearer ${jwt}` }),
    },
    body: body === null ? null : JSON.stringify(body),
    maxAnswerBytes,
  });
}

/** Reads the answer to what was not the post itself. */
export function readAnswer<Said>(
  asker: Asker,
  result: RequestResult,
  schema: z.ZodType<Said>,
  secrets: readonly string[] = [],
): Asked<Said> {
  if (result.phase !== 'answered') return { kind: 'not_said', status: null, why: outcomeBeforePost(result) };
  const { status } = result;
  if (status >= 200 && status < 300) {
    const parsed = schema.safeParse(parseJson(result.body));
    if (parsed.success) return { kind: 'said', said: parsed.data, behindMs: behindMs(result, asker.at) };
    const detail = `HTTP ${status}: an answer that is not Lemmy's`;
    return { kind: 'not_said', status, why: failed('unreadable_answer', detail) };
  }
  const detail = wordsOf(result, [...secrets, ...(asker.jwt === null ? [] : [asker.jwt])]);
  const why =
    refusalIn(result, detail, asker.at) ?? failed(status < 500 ? 'rejected' : 'server_error', detail);
  return { kind: 'not_said', status, why };
}

/** The remote's words, without what was secret in the request: a server may quote it. */
export function wordsOf(answer: Answer, secrets: readonly string[]): string {
  const body = secrets
    .flatMap(secret => [secret, JSON.stringify(secret).slice(1, -1)])
    .reduce((text, secret) => text.replaceAll(secret, '[hidden]'), answer.body);
  return describeAnswer({ ...answer, body });
}

/** A question without an answer, as a search has to take it: it proves nothing. */
export function incomplete({ why }: NotSaid): LookUpAnswer {
  const isRefusal = why.kind === 'throttled' || why.kind === 'blocked';
  return { kind: 'incomplete', detail: why.detail, ...(isRefusal && { refusal: why }) };
}

function failed(code: 'rejected' | 'server_error' | 'unreadable_answer', detail: string): NotComposed {
  return { kind: 'failed', code, detail, isFinal: false, blames: 'channel' };
}
