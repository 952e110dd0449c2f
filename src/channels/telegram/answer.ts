import { z } from 'zod';
import type { Answer } from '../answerOutcome.ts';
import { parseJson } from '../json.ts';

const answerShape = z.object({
  ok: z.boolean(),
  result: z.unknown().optional(),
  description: z.string().optional(),
  parameters: z
    .object({
      /** In seconds. */
      retry_after: z.number().optional(),
      migrate_to_chat_id: z.number().optional(),
    })
    .optional(),
});

/** What every method answers with (https://core.telegram.org/bots/api#making-requests); null: it is none. */
export function parseAnswer({ body }: Answer): z.infer<typeof answerShape> | null {
  return answerShape.safeParse(parseJson(body)).data ?? null;
}

/** When a 429 may be asked again, from its body, else its header; null: it does not say. */
export function waitUntil(answer: Answer, askedAt: Date): Date | null {
  const seconds = parseAnswer(answer)?.parameters?.retry_after;
  const said = new Date(askedAt.getTime() + (seconds ?? Number.NaN) * 1_000);
  if (Number.isNaN(said.getTime())) return answer.retryAfter;
  return answer.retryAfter !== null && answer.retryAfter > said ? answer.retryAfter : said;
}
