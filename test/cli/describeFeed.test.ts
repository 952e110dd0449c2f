import { describe, expect, it } from 'vitest';
import { describeFeed } from '../../src/cli/describeFeed.ts';
import type { ListedFeed } from '../../src/models/feedList.ts';

const now = new Date('2026-09-07T12:00:00Z');
const healthy: ListedFeed = {
  id: 1,
  name: 'blog',
  url: 'https://blog.test/feed.xml',
  paused: false,
  status: 'active',
  lastFetchedAt: now,
  lastCompleteAt: now,
  nextFetchAt: new Date('2026-09-07T12:15:00Z'),
  failures: 0,
  lastError: null,
  articles: 5,
  everyMs: 900_000,
  movedTo: null,
  movedHits: 0,
  waiting: 2,
  held: 0,
  isRouted: true,
  sameUrlAs: null,
};

const cases: [string, Partial<ListedFeed>, string[]][] = [
  ['is well', {}, []],
  ['is paused', { paused: true, failures: 2 }, ['paused until "headway feeds resume blog"']],
  [
    'is gone',
    { status: 'gone', lastError: 'the server answered 410' },
    ['gone for good, says its server (410): give it another URL, or resume it'],
  ],
  ['was never read', { lastCompleteAt: null }, ['not read yet: due at 2026-09-07T12:15:00Z']],
  [
    'failed once',
    { failures: 1, lastError: 'the server answered 500' },
    ['could not be read the last time (the server answered 500); tried again at 2026-09-07T12:15:00Z'],
  ],
  [
    'fails again and again',
    { failures: 4, status: 'failing', lastError: 'a web page, not a feed' },
    ['could not be read 4 times in a row (a web page, not a feed); tried again at 2026-09-07T12:15:00Z'],
  ],
  [
    'is read by nobody',
    { nextFetchAt: new Date('2026-09-07T10:59:59Z') },
    ['due since 2026-09-07T10:59:59Z, and nobody reads it: is "headway start" running?'],
  ],
  ['is due for an hour at most', { nextFetchAt: new Date('2026-09-07T11:00:00Z') }, []],
  [
    'has moved',
    { movedTo: 'https://new.test/feed', movedHits: 1 },
    [
      'moved for good to https://new.test/feed, says its server: followed after 2 more reads that say so (every 15m)',
    ],
  ],
  [
    'has the URL of another one',
    { sameUrlAs: 'news' },
    ['has the URL of the feed news too: one of them is enough'],
  ],
  ['goes nowhere', { isRouted: false }, ['no route takes its articles']],
  ['waits for a person', { held: 3 }, ['articles that wait for approval: 3']],
];

describe('describeFeed', () => {
  it.each(cases)('says of a feed that %s what there is to say', (_, columns, notes) => {
    expect(describeFeed({ ...healthy, ...columns }, now)).toEqual(notes);
  });
});
