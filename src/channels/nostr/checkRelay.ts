import { z } from 'zod';
import type { Finding, LookUpContext } from '../Channel.ts';
import { parseJson } from '../json.ts';
import type { NostrAccount } from './account.ts';
import { publicKeyOf } from './keys.ts';
import { readRelayMessage } from './relayMessages.ts';
import { documentUrl, relayName } from './relayUrl.ts';
import type { NostrSettings } from './settings.ts';

const subscription = 'headway-check';

const limitation = z.object({
  auth_required: z.boolean().optional().catch(undefined),
  payment_required: z.boolean().optional().catch(undefined),
  restricted_writes: z.boolean().optional().catch(undefined),
  min_pow_difficulty: z.number().optional().catch(undefined),
  max_content_length: z.number().optional().catch(undefined),
});
const relayDocument = z.object({ limitation: limitation.optional().catch(undefined) });

type Limitation = z.infer<typeof limitation>;

/** Looks at one relay without posting: whether it can be reached and asked, and what it says of itself (NIP-11). */
export async function checkRelay(
  relay: string,
  settings: NostrSettings,
  context: LookUpContext<NostrAccount>,
): Promise<readonly Finding[]> {
  const [answers, limits] = await Promise.all([askForNotes(relay, context), askForLimits(relay, context)]);
  const finding = (subject: Finding['subject'], isOk: boolean, detail: string): Finding => {
    return { subject, isOk, detail: `${relayName(relay)}: ${detail}` };
  };
  if (answers.kind === 'unreachable') return [finding('rights', false, answers.detail)];

  const isReadable = answers.kind === 'answered';
  const unreadable = `it does not let its notes be looked for (${isReadable ? '' : answers.words})`;
  return [
    finding('rights', hindranceIn(limits) === null, hindranceIn(limits) ?? `reached, ${rightsIn(limits)}`),
    ...(isReadable || settings.duplicates === 'off'
      ? []
      : [finding('visibility', false, `${unreadable}: set duplicates: off, or take another relay`)]),
    ...lengthFindings(limits, settings, finding),
  ];
}

type Asked =
  | { kind: 'unreachable'; detail: string }
  | { kind: 'answered' }
  | { kind: 'closed'; words: string };

async function askForNotes(
  relay: string,
  { account, exchangeMessage }: LookUpContext<NostrAccount>,
): Promise<Asked> {
  const filter = { authors: [publicKeyOf(account.credentials.username)], kinds: [1], limit: 1 };
  const result = await exchangeMessage({
    url: relay,
    message: JSON.stringify(['REQ', subscription, filter]),
    isAnswer(text) {
      const said = readRelayMessage(text);
      return said !== null && 'subscription' in said && said.subscription === subscription;
    },
  });
  if (result.phase !== 'answered') return { kind: 'unreachable', detail: result.detail };
  const said = readRelayMessage(result.text);
  return said?.kind === 'closed' ? { kind: 'closed', words: said.words } : { kind: 'answered' };
}

/** Null: it says nothing of itself, which it need not. */
async function askForLimits(
  relay: string,
  { send }: LookUpContext<NostrAccount>,
): Promise<Limitation | null> {
  const headers = { accept: 'application/nostr+json' };
  const result = await send({ method: 'GET', url: documentUrl(relay), headers, body: null });
  if (result.phase !== 'answered' || result.status !== 200) return null;
  return relayDocument.safeParse(parseJson(result.body)).data?.limitation ?? null;
}

function hindranceIn(limits: Limitation | null): string | null {
  if (limits?.auth_required) return 'it wants a log-in (NIP-42), which Headway does not do';
  if ((limits?.min_pow_difficulty ?? 0) > 0)
    return 'it wants a proof of work, which Headway does not compute';
  return null;
}

function rightsIn(limits: Limitation | null): string {
  if (limits?.payment_required) return 'takes notes of those who have paid';
  if (limits?.restricted_writes) return 'takes notes of some people only';
  return limits === null ? 'says nothing of whose notes it takes' : 'takes notes of everybody';
}

function lengthFindings(
  limits: Limitation | null,
  { maxLength }: NostrSettings,
  finding: (subject: Finding['subject'], isOk: boolean, detail: string) => Finding,
): Finding[] {
  const most = limits?.max_content_length;
  if (most === undefined) return [];
  if (most >= maxLength) return [finding('limits', true, `takes up to ${most} characters`)];
  return [
    finding('limits', false, `takes only ${most} characters: set maxLength to that, it is ${maxLength}`),
  ];
}
