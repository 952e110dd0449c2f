import { describe, expect, it } from 'vitest';
import { answersBySeed, answerTo, refusedTitle } from '../../scripts/soak/answers.ts';
import { findLinkPostedTwice, findLost } from '../../scripts/soak/findLost.ts';
import { createRandom } from '../../scripts/soak/random.ts';
import type { Explanation } from '../../src/publishing/explain.ts';
import type { AlertRow, History, RouteArticleRow } from '../faults/support/history.ts';
import type { AcceptedPost } from '../faults/support/publisherPath.ts';

describe('createRandom', () => {
  it('makes the same choices for the same seed and stream, and others for others', () => {
    const choices = (seed: number, stream: string) => {
      const random = createRandom(seed, stream);
      return Array.from({ length: 20 }, () => random.whole(0, 1_000));
    };

    expect(choices(1, 'faults')).toEqual(choices(1, 'faults'));
    expect(choices(2, 'faults')).not.toEqual(choices(1, 'faults'));
    expect(choices(1, 'feed')).not.toEqual(choices(1, 'faults'));
  });

  it('reaches both ends of a whole number, and each value evenly', () => {
    const random = createRandom(1, 'ends');
    const counts = [0, 0, 0];
    for (let drawn = 0; drawn < 3_000; drawn += 1) {
      const value = random.whole(0, 2);
      counts[value] = (counts[value] ?? 0) + 1;
    }

    for (const count of counts) expect(count).toBeGreaterThan(900);
  });

  it('picks from what there is, and from nothing not at all', () => {
    const random = createRandom(1, 'picks');

    expect(random.pick(['only'])).toBe('only');
    expect(() => random.pick([])).toThrow('nothing to pick from');
  });
});

describe('answerTo', () => {
  const seed = 1;
  const titles = Array.from({ length: 4_000 }, (_, index) => `Article ${index}`);

  it('drops one answer of twenty after it has accepted', () => {
    const dropped = titles.filter(title => answerTo({ seed, title, nth: 1 })?.kind === 'accept_then_drop');

    expect(dropped.length / titles.length).toBeGreaterThan(0.04);
    expect(dropped.length / titles.length).toBeLessThan(0.06);
  });

  it('takes every article at the fourth try', () => {
    expect(titles.filter(title => answerTo({ seed, title, nth: 4 }) !== null)).toEqual([]);
  });

  it('refuses an article of the refused kind until it is dead, and then takes it', () => {
    const choose = answersBySeed(seed);
    const post = { ...arrived, title: `${refusedTitle} 7` };
    const answers = Array.from({ length: 5 }, () => choose('news', post));

    expect(answers.slice(0, 4)).toEqual(Array(4).fill({ kind: 'answer', status: 400 }));
    expect(answers[4]).toBeNull();
  });
});

const arrived = {
  webhookId: 'msg_1',
  postKey: '1',
  title: 'Article',
  url: 'https://news.example/1',
  body: '',
  receivedAt: new Date('2026-01-01T00:00:00Z'),
};

describe('findLost', () => {
  const history = ({
    rows = [],
    alerts = [],
    explanations = new Map(),
  }: {
    rows?: readonly RouteArticleRow[];
    alerts?: readonly AlertRow[];
    explanations?: History['explanations'];
  }): History => ({ ...empty, routeArticles: rows, alerts, explanations });

  it.each(['published', 'skipped'])('finds nothing in an article that is %s', publishStatus => {
    expect(findLost(history({ rows: [row(publishStatus)] }), 1)).toEqual([]);
  });

  it.each([
    ['dead', 'article_dead'],
    ['unknown', 'outcome_unknown'],
  ])('finds an article that is %s, unless an alert says so', (publishStatus, kind) => {
    const rows = [row(publishStatus)];

    expect(findLost(history({ rows }), 1)).toEqual([expect.stringContaining(`is ${publishStatus}`)]);
    expect(findLost(history({ rows, alerts: [{ id: 1, kind, routeArticleId: 1 }] }), 1)).toEqual([]);
  });

  it('finds an article that waits, unless it is for a cap', () => {
    const rows = [row('pending')];

    expect(findLost(history({ rows, explanations: reason('waiting_turn') }), 1)).toHaveLength(1);
    expect(findLost(history({ rows, explanations: reason('daily_cap') }), 1)).toEqual([]);
  });

  it('finds that articles are not there at all', () => {
    expect(findLost(history({ rows: [row('published')] }), 3)).toEqual([
      'lost: 2 of 3 articles are not there',
    ]);
  });
});

describe('findLinkPostedTwice', () => {
  const accepted = (post: Partial<AcceptedPost>): AcceptedPost => ({
    ...arrived,
    path: 'news',
    isRepeat: false,
    ...post,
  });

  it('finds a link that a channel took from two articles', () => {
    const acceptedAfter = [accepted({ title: 'First' }), accepted({ title: 'Second' })];

    expect(findLinkPostedTwice({ acceptedAfter })).toEqual([
      'I1: https://news.example/1 was accepted twice at /news, as "First" and as "Second"',
    ]);
  });

  it('finds nothing in another channel, another link, or a repeat that was dropped', () => {
    const acceptedAfter = [
      accepted({}),
      accepted({ path: 'other', title: 'Second' }),
      accepted({ url: 'https://news.example/2', title: 'Third' }),
      accepted({ isRepeat: true }),
    ];

    expect(findLinkPostedTwice({ acceptedAfter })).toEqual([]);
  });
});

const empty: History = {
  workspaces: [],
  channels: [],
  routeArticles: [],
  publications: [],
  attempts: [],
  audits: [],
  alerts: [],
  transitions: [],
  explanations: new Map(),
  acceptedBefore: [],
  acceptedAfter: [],
  readAt: new Date('2026-01-01T00:00:00Z'),
};

function row(publishStatus: string): RouteArticleRow {
  const ids = { id: 1, workspaceId: 1, channelId: 1 };
  return { ...ids, title: 'Article', publishStatus, attempts: 1, generation: 1 };
}

function reason(why: Explanation['reason']): Map<number, Explanation> {
  return new Map([[1, { state: 'pending', reason: why, until: null, next: null, detail: null }]]);
}
