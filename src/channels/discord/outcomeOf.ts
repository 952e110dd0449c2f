import { z } from 'zod';
import { type Answer, describeAnswer, isRedirect, tellsNothing } from '../answerOutcome.ts';
import { parseJson } from '../json.ts';
import type { PublishOutcome } from '../PublishOutcome.ts';

// https://docs.discord.com/developers/topics/opcodes-and-status-codes#json

/** What was written, not where: harmful links, words that are not allowed, a form that is not. */
const ofArticle = new Set([20009, 40005, 50006, 50035, 200000, 200001, 240000]);
/** The thread is missing, locked or full, or does not go with the channel: the settings are to be mended. */
const ofSettings = new Set([
  40058, 40067, 50008, 50024, 50083, 160005, 160006, 160007, 220001, 220002, 220003, 220004,
]);
/** Keys of the form that the settings fill. */
const settingsFields = ['username', 'thread_name', 'thread_id'];

const refusal = z.object({
  code: z.number().optional(),
  /** Form errors, by field. */
  errors: z.record(z.string(), z.unknown()).optional(),
  /** In seconds, with a fraction. */
  retry_after: z.number().optional(),
});
const message = z.object({ id: z.string(), channel_id: z.string() });

/** `placeUrl`: as of a `DiscordPost`. */
type Sent = { sendingAt: Date; placeUrl: string | null };

/** What a complete answer means. A 5xx is not definite: Discord has kept messages behind it. */
export function outcomeOf(answer: Answer, { sendingAt, placeUrl }: Sent): PublishOutcome {
  const { status } = answer;
  const detail = describeAnswer(answer);
  const body = parseJson(answer.body);

  if (tellsNothing(status)) return { kind: 'unknown', code: 'server_error', detail };
  if (status < 400) return outcomeOfAccepted(answer, placeUrl);
  const said = refusal.safeParse(body).data ?? {};
  const blocked = { kind: 'blocked', scope: 'channel', detail } as const;
  if (status === 429) {
    const until = waitUntil(answer, said.retry_after, sendingAt);
    return { kind: 'throttled', scope: 'channel', code: 'rate_limited', detail, until };
  }
  // By whatever code: to ask again for what is gone, or with a token that is not valid, gets the address banned.
  if (status === 401) return { ...blocked, code: 'unauthorized', isGone: true };
  if (status === 404) return { ...blocked, code: 'not_found', isGone: true };
  const fields = Object.keys(said.errors ?? {});
  const isForm = fields.length > 0 && fields.every(field => settingsFields.includes(field));
  if (isForm || ofSettings.has(said.code ?? 0)) return { ...blocked, code: 'rejected', isGone: false };
  if (ofArticle.has(said.code ?? 0) || status === 413)
    return { kind: 'failed', code: 'rejected', detail, isFinal: true, blames: 'article' };
  if (status === 403) return { ...blocked, code: 'forbidden', isGone: false };
  return { kind: 'failed', code: 'rejected', detail, isFinal: false, blames: 'channel' };
}

function outcomeOfAccepted(answer: Answer, placeUrl: string | null): PublishOutcome {
  const { status, body } = answer;
  const detail = describeAnswer(answer);
  const kept = status < 300 ? message.safeParse(parseJson(body)).data : undefined;
  if (kept) {
    const remoteUrl = placeUrl === null ? null : `${placeUrl}/${kept.channel_id}/${kept.id}`;
    return { kind: 'succeeded', remoteId: kept.id, remoteUrl };
  }
  if (!isRedirect(status)) return { kind: 'unknown', code: 'unreadable_answer', detail };
  const advice = `${detail} (redirects are not followed: set webhookUrl to where it leads)`;
  return { kind: 'failed', code: 'rejected', detail: advice, isFinal: false, blames: 'channel' };
}

/** The later of what the header (whole seconds) and the body (a fraction) say. */
function waitUntil({ retryAfter }: Answer, seconds: number | undefined, sendingAt: Date): Date | null {
  const said = seconds === undefined ? Number.NaN : sendingAt.getTime() + seconds * 1_000;
  const instants = [retryAfter?.getTime() ?? Number.NaN, said].filter(
    ms => !Number.isNaN(new Date(ms).getTime()),
  );
  return instants.length === 0 ? null : new Date(Math.max(...instants));
}
