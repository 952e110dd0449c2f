import type { PublishedArticle, TickReason, Tried } from './tickResult.ts';

/** What the tick does after a try. */
export type NextStep =
  | { kind: 'published'; published: PublishedArticle }
  | { kind: 'go_on' }
  | { kind: 'drop'; scope: 'channel' | 'account' }
  | { kind: 'end'; reason: TickReason; detail: string | null };

/** `tried` null: somebody else took the row, or its claim was lost; nothing of it is ours to tell. */
export type TryResult = { tried: Tried | null; next: NextStep };

export const goOn: NextStep = { kind: 'go_on' };
// Whoever ended the claim works here by right: what else there is to do is theirs.
export const takenOver: NextStep = {
  kind: 'end',
  reason: 'busy',
  detail: 'another consumer ended its claim',
};
export const stopping: NextStep = { kind: 'end', reason: 'stopping', detail: null };
