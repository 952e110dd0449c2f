/** Why a tick published nothing. */
export type TickReason =
  | 'paused'
  | 'outside_window'
  | 'daily_cap'
  | 'slot_used'
  | 'nothing_due'
  | 'all_blocked'
  | 'unknown_outcome'
  | 'busy'
  | 'stopping';

/** One candidate that a tick tried. `passed`: given back without a send. Rows that a hold dropped are not listed. */
export type Tried = {
  routeArticleId: number;
  channel: string;
  outcome: 'published' | 'skipped' | 'failed' | 'throttled' | 'blocked' | 'unknown' | 'passed';
  code: string | null;
  detail: string | null;
  attempts: number;
  nextAttemptAt: Date | null;
};

export type PublishedArticle = {
  routeArticleId: number;
  channel: string;
  title: string;
  url: string | null;
  remoteUrl: string | null;
};

/** What a tick did: the job's return value, which Bull Board, the CLI and the tests see. */
export type TickResult = {
  /** The workspace's name. */
  workspace: string;
  at: Date;
  slot: Date;
  outcome: 'published' | 'idle';
  /** Null only when published. */
  reason: TickReason | null;
  detail: string | null;
  published: PublishedArticle | null;
  tried: readonly Tried[];
};
