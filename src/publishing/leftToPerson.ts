import type { Reconciliation } from '../channels/Channel.ts';
import type { Database } from '../database/Database.ts';
import { raiseAlert } from '../models/alerts.ts';
import type { Destination } from '../models/channels.ts';
import { hasExhaustedPublishAttempts, waitUntil } from './backoff.ts';

const maxLookUps = 5;

/**
 * When an unknown outcome is first found out about (README, "Unknown outcomes"): asked at the next tick, or
 * repeated by the normal backoff while it has attempts left. Null: it is left to a person.
 */
export function firstLookUpAt(
  reconciliation: Reconciliation['kind'],
  { at, attempts }: { at: Date; attempts: number },
): Date | null {
  switch (reconciliation) {
    case 'repeat':
      return hasExhaustedPublishAttempts(attempts) ? null : waitUntil(at, attempts);
    case 'look_up':
      return at;
    case 'blind':
      return null;
    default:
      return reconciliation satisfies never;
  }
}

/** When to ask again after the `lookups`-th search that proved nothing (from 1). Null: it is left to a person. */
export function nextLookUpAt(at: Date, lookups: number): Date | null {
  return lookups < maxLookUps ? waitUntil(at, lookups) : null;
}

/** The one alert about an unknown outcome: nothing but a person can end it from here on. */
export async function tellUnknown(
  db: Database,
  unknown: {
    workspaceId: number;
    routeArticleId: number;
    title: string;
    destination: Destination;
    now: Date;
  },
  detail: string,
): Promise<void> {
  const { workspaceId, routeArticleId, title, destination, now } = unknown;
  const message =
    `Whether "${title}" reached channel ${destination.name} is not known: ${detail}. ` +
    `Look there, then run "headway queue settle ${routeArticleId}" with --published or --send-again.`;
  const about = { channelId: destination.id, routeArticleId, now };
  await raiseAlert(db, { workspaceId, kind: 'outcome_unknown', message, ...about });
}
