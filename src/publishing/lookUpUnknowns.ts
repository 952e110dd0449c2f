import type { LookUpAnswer } from '../channels/Channel.ts';
import type { Clock } from '../clock.ts';
import { dueUnknowns, type UnknownOutcome } from '../models/unknownOutcomes.ts';
import { timeLimit } from '../timeLimit.ts';
import type { PublishingTools } from './publishRouteArticle.ts';
import type { ReadyChannel } from './ReadyChannel.ts';
import { recordLookedUp } from './recordLookedUp.ts';
import { unlessCutOff } from './unlessCutOff.ts';

const lookUpsAtOnce = 5;

export type LookUpRequest = { workspaceId: number; at: Date; clock: Clock; signal: AbortSignal };

type Question = { unknown: UnknownOutcome; ask: ReadyChannel['lookUp'] };

/**
 * Finds out about the workspace's unknown outcomes that are due for it: at most one of each channel and of
 * each instance, five side by side, all within one limit. A search that the limit cuts off proves nothing and
 * waits for its next turn; one that was not begun stays due; one that a stop cuts off has not been.
 *
 * Searches only read. Those that can only be sent again are returned: that is for a tick's own turn.
 */
export async function lookUpUnknowns(
  tools: PublishingTools,
  request: LookUpRequest,
): Promise<UnknownOutcome[]> {
  const { workspaceId, at, clock, signal } = request;
  const questions: Question[] = [];
  const repeats: UnknownOutcome[] = [];
  for (const unknown of await dueUnknowns(tools.db, workspaceId, at)) {
    const prepared = tools.service.prepare(unknown.destination);
    // Asked once its account works again: until then nothing is found out, and nothing counts.
    if (prepared.kind !== 'ready' && isWithoutAccount(unknown)) continue;
    if (prepared.kind !== 'ready') {
      const answer = { kind: 'incomplete', detail: prepared.detail } as const;
      questions.push({ unknown, ask: async () => answer });
    } else if (prepared.reconciliation === 'repeat') repeats.push(unknown);
    else questions.push({ unknown, ask: (sought, limits) => prepared.lookUp(sought, limits) });
  }
  const limit = timeLimit(signal, tools.limits.lookUpsMs);
  await eachAtOnce(onePerInstance(questions), limit, async ({ unknown, ask }) => {
    const { post, sendingAt } = unknown;
    const asked = ask({ post, sendingAt }, { clock, signal: limit });
    const answer = (await unlessCutOff(asked, limit)) ?? tookTooLong;
    if (signal.aborted && answer.kind === 'incomplete') return;
    await recordLookedUp(tools, { unknown, answer, at, now: clock.now() });
  });
  return repeats;
}

function isWithoutAccount({ destination: { needsAccount, accountStatus } }: UnknownOutcome): boolean {
  return needsAccount && accountStatus !== 'active';
}

const tookTooLong: LookUpAnswer = { kind: 'incomplete', detail: 'the search took too long' };

function onePerInstance(questions: readonly Question[]): Question[] {
  const asked = new Set<string>();
  return questions.filter(({ unknown: { destination, instance, channelId } }) => {
    const place = `${destination.platform} ${instance || channelId}`;
    if (asked.has(place)) return false;
    asked.add(place);
    return true;
  });
}

async function eachAtOnce<Item>(
  items: readonly Item[],
  signal: AbortSignal,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined && !signal.aborted; item = left.shift())
      await work(item);
  };
  await Promise.all(Array.from({ length: lookUpsAtOnce }, worker));
}
