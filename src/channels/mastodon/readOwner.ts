import { z } from 'zod';
import type { Answer } from '../answerOutcome.ts';
import { parseJson } from '../json.ts';
import { remoteId } from './remoteId.ts';

const owner = z
  .object({ id: remoteId, username: z.string().nullish(), acct: z.string().min(1) })
  .transform(({ id, username, acct }) => ({ id, acct, username: username ?? acct }));

/** Whose token it is, from an answer to `verify_credentials`; null: it is none that says so. */
export function readOwner({ status, body }: Answer): z.infer<typeof owner> | null {
  if (status !== 200) return null;
  return owner.safeParse(parseJson(body)).data ?? null;
}
