import { formatDuration } from '../duration.ts';
import { hitsUntilMoved } from '../ingestion/feedHealth.ts';
import type { ListedFeed } from '../models/feedList.ts';
import { formatInstant } from './output.ts';

/** Due for longer, and nothing reads feeds. */
const longDueMs = 3_600_000;

/** What a person might want to know of a feed beside its figures, in words; empty: all is well. */
export function describeFeed(feed: ListedFeed, now: Date): string[] {
  const { paused, status, isRouted, held, sameUrlAs } = feed;
  return [
    ...(paused ? [`paused until "headway feeds resume ${feed.name}"`] : []),
    ...(status === 'gone' ? ['gone for good, says its server (410): give it another URL, or resume it'] : []),
    ...(status === 'gone' || paused ? [] : readingNotes(feed, now)),
    ...moveNotes(feed),
    ...(sameUrlAs === null ? [] : [`has the URL of the feed ${sameUrlAs} too: one of them is enough`]),
    ...(isRouted ? [] : ['no route takes its articles']),
    ...(held > 0 ? [`articles that wait for approval: ${held}`] : []),
  ];
}

function readingNotes({ failures, lastError, lastCompleteAt, nextFetchAt }: ListedFeed, now: Date): string[] {
  const next = formatInstant(nextFetchAt);
  const overdueMs = now.getTime() - nextFetchAt.getTime();
  if (overdueMs > longDueMs) return [`due since ${next}, and nobody reads it: is "headway start" running?`];
  if (failures > 0) {
    const times = failures === 1 ? 'the last time' : `${failures} times in a row`;
    return [`could not be read ${times} (${lastError ?? 'no reason is known'}); tried again at ${next}`];
  }
  if (lastCompleteAt === null) return [`not read yet: due at ${next}`];
  return [];
}

function moveNotes({ movedTo, movedHits, everyMs }: ListedFeed): string[] {
  if (movedTo === null) return [];
  const readsLeft = Math.max(1, hitsUntilMoved - movedHits);
  const when = readsLeft === 1 ? 'its next read' : `${readsLeft} more reads`;
  return [
    `moved for good to ${movedTo}, says its server: followed after ${when} that say so (every ${formatDuration(everyMs)})`,
  ];
}
