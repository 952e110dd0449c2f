import type { PublishOutcome } from '../channels/PublishOutcome.ts';
import type { Database } from '../database/Database.ts';
import { markNeedsAttention } from '../models/accounts.ts';
import { raiseAlert } from '../models/alerts.ts';
import { countChannelFailures } from '../models/attempts.ts';
import {
  countRefusals,
  type Destination,
  type HoldTarget,
  loadChannelHealth,
  setHold,
  tripBreaker,
} from '../models/channels.ts';
import { waitUntil } from './backoff.ts';

const dayMs = 24 * 3_600_000;
const failuresThatTrip = 5;

export type HoldRequest = {
  workspaceId: number;
  destination: Destination;
  at: Date;
  now: Date;
};

type Refusal = Extract<PublishOutcome, { kind: 'throttled' | 'blocked' }>;

/**
 * Holds what refused, the channel or the account that the answer names: until its Retry-After, clamped to
 * one tick … 24 hours, or 5/30/120/360 minutes by refusals in a row. An account whose credentials are refused
 * needs attention instead. Being blocked is one alert at its edge; being throttled is not.
 */
export async function holdForRefusal(
  db: Database,
  request: HoldRequest & { tickIntervalMs: number },
  refusal: Refusal,
): Promise<{ target: HoldTarget; until: Date | null }> {
  const { destination, at, tickIntervalMs } = request;
  const target = targetOf(refusal, destination);
  const refusals = (await countRefusals(db, target)) + 1;
  const isGone = refusal.kind === 'blocked' && refusal.isGone;
  const retryAfter = refusal.kind === 'throttled' ? refusal.until : null;
  const retryAt = retryAfter ? clamp(retryAfter, at, tickIntervalMs) : waitUntil(at, refusals);
  const until = isGone ? null : retryAt;
  if (isGone && target.table === 'accounts') {
    await needAttention(db, request, target.id, refusal);
    return { target, until: null };
  }
  await hold(db, request, target, {
    reason: isGone ? 'gone' : refusal.code,
    detail: refusal.detail,
    until,
    refusals,
    isDown: refusal.kind === 'blocked',
  });
  return { target, until };
}

async function needAttention(
  db: Database,
  { workspaceId, destination, now }: HoldRequest,
  id: number,
  { code: reason, detail }: Refusal,
): Promise<void> {
  if (!(await markNeedsAttention(db, { id, reason, detail, now }))) return;
  const { name, accountName } = destination;
  const message =
    `Account ${accountName} (channel ${name}) needs attention: ${reason} (${detail}). Its channels wait: ` +
    `mend it, then run "headway accounts reconnect ${accountName}".`;
  const about = { channelId: destination.id, accountId: id };
  await raiseAlert(db, { workspaceId, kind: 'account_down', message, ...about, now });
}

/** Holds a channel without an active account until there is one. */
export async function holdWithoutAccount(db: Database, request: HoldRequest, detail: string): Promise<void> {
  const target: HoldTarget = { table: 'channels', id: request.destination.id };
  await hold(db, request, target, { reason: 'no_account', detail, until: null, refusals: 0, isDown: true });
}

/** Holds a channel whose last answer was lost, by unknowns in a row: it costs itself, not the queue. */
export async function holdForUnknown(db: Database, request: HoldRequest, detail: string): Promise<void> {
  const target: HoldTarget = { table: 'channels', id: request.destination.id };
  const refusals = (await countRefusals(db, target)) + 1;
  const until = waitUntil(request.at, refusals);
  await hold(db, request, target, { reason: 'unknown_outcome', detail, until, refusals, isDown: false });
}

/**
 * The breaker: five failures of a channel since its last success within 24 hours hold it for 24 hours, or
 * until a person resumes it; then one probe decides. Returns whether it holds.
 */
export async function tripBreakerIfDue(db: Database, request: HoldRequest): Promise<boolean> {
  const { destination, at } = request;
  const { failuresSince, breakerTripped } = await loadChannelHealth(db, destination.id);
  const aDayAgo = at.getTime() - dayMs;
  const since = new Date(Math.max(aDayAgo, failuresSince?.getTime() ?? aDayAgo));
  const counted = { channelId: destination.id, since, limit: failuresThatTrip };
  const failures = await countChannelFailures(db, counted);
  if (!breakerTripped && failures < failuresThatTrip) return false;

  const detail = breakerTripped ? 'the probe failed' : `${failures} failures since its last success`;
  const target: HoldTarget = { table: 'channels', id: destination.id };
  const until = new Date(at.getTime() + dayMs);
  await hold(db, request, target, { reason: 'breaker', detail, until, refusals: 0, isDown: true });
  await tripBreaker(db, destination.id);
  return true;
}

type HoldFields = { reason: string; detail: string; until: Date | null; refusals: number; isDown: boolean };

async function hold(
  db: Database,
  request: HoldRequest,
  target: HoldTarget,
  fields: HoldFields,
): Promise<void> {
  const { workspaceId, destination, now } = request;
  const wentDown = await setHold(db, target, { ...fields, now });
  if (!wentDown) return;
  const isAccount = target.table === 'accounts';
  const subject = isAccount
    ? `Account ${destination.accountName} (channel ${destination.name})`
    : `Channel ${destination.name}`;
  const end = fields.until ? `until ${fields.until.toISOString()}` : 'until it is mended';
  await raiseAlert(db, {
    workspaceId,
    kind: isAccount ? 'account_down' : 'channel_down',
    message: `${subject} is held ${end}: ${fields.reason} (${fields.detail}).`,
    channelId: destination.id,
    ...(isAccount && { accountId: target.id }),
    now,
  });
}

function targetOf(refusal: Refusal, { id, accountId }: Destination): HoldTarget {
  return refusal.scope === 'account' && accountId !== null
    ? { table: 'accounts', id: accountId }
    : { table: 'channels', id };
}

function clamp(until: Date, at: Date, tickIntervalMs: number): Date {
  const shortest = at.getTime() + tickIntervalMs;
  return new Date(Math.min(Math.max(until.getTime(), shortest), at.getTime() + dayMs));
}
