/**
 * Every limit on waiting, in milliseconds, on one screen. Each is a setting: `sendConnectMs` is
 * `HEADWAY_LIMIT_SEND_CONNECT` (README, "Limits"). They depend on each other where a comment says so.
 */
export const defaultLimits = {
  /** Until a publisher's connection stands. */
  sendConnectMs: 10_000,
  /** Until its whole answer is there, from the call on. */
  sendAnswerMs: 45_000,
  /** After the gate, until the request may no longer be handed to the socket: `send_by`. */
  sendByMs: 10_000,
  /** After `send_by` and the time for the answer, until a look-up that finds nothing counts. */
  settleAfterMs: 60_000,
  /** All look-ups of one tick together. */
  lookUpsMs: 15_000,
  /** Until a post is composed, its picture fetched and uploaded. */
  composeMs: 30_000,
  /** After the look-ups, until a tick tries no new candidate. */
  candidatesMs: 60_000,
  /** Between a tick's instant and the clock at the gate: more, and the process has slept. */
  driftMs: 120_000,
  /** Until a feed's document is read; its fetch is over by then. */
  parseMs: 5_000,
  /** Until the links of one read have been followed; what is not by then stays as the feed gave it. */
  linksMs: 20_000,
  /** Until an article's page is there. */
  pageMs: 15_000,
  /** Until a connection to PostgreSQL stands. */
  databaseConnectMs: 10_000,
  /** Until PostgreSQL has answered a statement. */
  databaseAnswerMs: 60_000,
  /** Between two questions on the lock connection: several must fit into `lockIdleMs`. */
  lockAskMs: 20_000,
  /** Until such a question is answered. */
  lockAnswerMs: 10_000,
  /** Without a question, until the server ends the session of a process that froze. */
  lockIdleMs: 120_000,
  /** Until the queue store has answered. */
  queueAnswerMs: 5_000,
  /** Until BullMQ gives a tick whose worker fell silent to another one. */
  queueStalledMs: 30_000,
  /** Between two comparisons of the schedulers with the workspaces. */
  reconcileMs: 30_000,
} as const;

export type LimitName = keyof typeof defaultLimits;
export type Limits = Readonly<Record<LimitName, number>>;

export const limitNames = Object.keys(defaultLimits).filter(isLimitName);

/** The setting of a limit: `sendConnectMs` is `HEADWAY_LIMIT_SEND_CONNECT`. */
export function limitSetting(name: LimitName): string {
  const words = name.replace(/Ms$/, '').replace(/[A-Z]/g, capital => `_${capital}`);
  return `HEADWAY_LIMIT_${words.toUpperCase()}`;
}

function isLimitName(name: string): name is LimitName {
  return Object.hasOwn(defaultLimits, name);
}
