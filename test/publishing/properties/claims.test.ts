import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultLimits } from '../../../src/limits.ts';
import { type ClaimRequest, claimRepeat, claimRouteArticle, endClaim } from '../../../src/models/claims.ts';
import { giveBackClaim, giveBackClaims } from '../../../src/models/giveBacks.ts';
import { deletePublication, markUnknown } from '../../../src/models/publications.ts';
import { recordPublished } from '../../../src/models/recordPublished.ts';
import { deleteUnknown, endUnknown, recordLookUp } from '../../../src/models/unknownOutcomes.ts';
import { type Change, changeRouteArticle } from '../../../src/publishing/changeRouteArticle.ts';
import { composePost } from '../../../src/publishing/composePost.ts';
import { ClaimLostError, type EndedTry } from '../../../src/publishing/endTry.ts';
import { passGate } from '../../../src/publishing/passGate.ts';
import { recordOutcome } from '../../../src/publishing/recordOutcome.ts';
import { undoGate } from '../../../src/publishing/undoGate.ts';
import { routeArticle } from '../../support/factories.ts';
import {
  alreadyThere,
  articleRefused,
  blocked,
  refused,
  throttled,
  unknown,
} from '../../support/publishing.ts';
import { useScene } from '../../support/scene.ts';
import { allTables } from './allTables.ts';

const scene = useScene();
const earlier = new Date('2026-09-07T09:00:00Z');
const later = new Date('2026-09-09T00:00:00Z');

type Columns = Readonly<Record<string, unknown>>;

const told = fc.record({
  priority: fc.integer({ min: -3, max: 3 }),
  title: fc.string({ maxLength: 20 }).map(text => text.replaceAll('\0', '')),
  last_error_code: fc.option(fc.constantFrom('rejected', 'duplicate_in_flight')),
  last_error: fc.option(fc.constant('not this one')),
  generation: fc.integer({ min: 1, max: 3 }),
});
const waits = fc.option(fc.constantFrom(earlier, new Date('2026-09-07T10:00:00Z')));
const queued = fc.oneof(
  fc.record({
    publish_status: fc.constant('pending'),
    publish_attempts: fc.constant(0),
    next_attempt_at: waits,
  }),
  fc.record({
    publish_status: fc.constant('failed'),
    publish_attempts: fc.integer({ min: 1, max: 3 }),
    next_attempt_at: waits,
  }),
);
const repeatable = fc.record({
  publish_status: fc.constant('unknown'),
  publish_attempts: fc.integer({ min: 1, max: 3 }),
  lookups: fc.integer({ min: 0, max: 4 }),
  next_lookup_at: fc.constantFrom(earlier, new Date('2026-09-07T10:00:00Z')),
  sending_at: fc.constant(earlier),
});
const claimable: fc.Arbitrary<Columns> = fc
  .tuple(told, fc.oneof(queued, repeatable))
  .map(([what, where]) => ({ ...what, ...where }));

/** A workspace of its own with one row, and its publication where it has one. */
async function stored(
  columns: Columns,
  state: string | null = columns.publish_status === 'unknown' ? 'unknown' : null,
) {
  const workspaceId = await scene.workspace();
  const channelId = await scene.channel(workspaceId);
  const id = await scene.article(workspaceId, channelId, columns);
  const { url_key, generation } = await routeArticle(scene.db, id);
  if (state === null) return { workspaceId, channelId, id, publicationId: 0 };
  const [publication] = await scene
    .db('publications')
    .insert({
      workspace_id: workspaceId,
      channel_id: channelId,
      route_article_id: id,
      url_key,
      generation,
      state,
      post: '{}',
      counted_at: earlier,
      sending_at: earlier,
      send_by: earlier,
      published_at: state === 'published' ? earlier : null,
    })
    .returning('id');
  return { workspaceId, channelId, id, publicationId: Number(publication.id) };
}

async function claim(id: number, claimToken: string) {
  const { publish_status } = await routeArticle(scene.db, id);
  const now = scene.clock.now();
  const request: ClaimRequest & { dueBy: Date } = { id, claimToken, dueBy: later, lastSlotAt: null, now };
  const take = publish_status === 'unknown' ? claimRepeat : claimRouteArticle;
  const claimed = await take(scene.db, request);
  if (!claimed) throw new Error('it could not be claimed');
  return claimed;
}

const giveBacks = {
  'one by one': async (id: number, claimToken: string) => {
    const back = { id, claimToken, passedGate: false, waitInstead: null, now: later };
    expect(await giveBackClaim(scene.db, back)).toBe(true);
  },
  'all in one': async (id: number, claimToken: string, attempts: number) => {
    expect(await giveBackClaims(scene.db, [{ id, claimToken, attempts }], later)).toEqual([id]);
  },
  'all in one, not knowing whether it was committed': async (id: number, claimToken: string) => {
    expect(await giveBackClaims(scene.db, [{ id, claimToken, attempts: null }], later)).toEqual([id]);
  },
  'with an undone gate': async (_id: number, claimToken: string, _attempts: number, claimed: Claimed) => {
    expect(await undoGate(scene.db, { ...claimed, claimToken }, later)).toBe(true);
  },
};

type Claimed = Awaited<ReturnType<typeof claim>>;

const wholeBut = async (id: number, ...left: readonly string[]) => {
  const row: Columns = await routeArticle(scene.db, id);
  return Object.fromEntries(Object.entries(row).filter(([name]) => !['updated_at', ...left].includes(name)));
};

describe.each(Object.entries(giveBacks))('a claim that is given back %s', (_, giveBack) => {
  it('leaves the whole row as if it had not been', async () => {
    await fc.assert(
      fc.asyncProperty(claimable, async columns => {
        const { id } = await stored(columns);
        const before = await wholeBut(id);
        const publications = await scene.db('publications').where({ route_article_id: id });
        const claimToken = randomUUID();

        const claimed = await claim(id, claimToken);
        await giveBack(id, claimToken, claimed.attempts, claimed);

        expect(await wholeBut(id)).toEqual(before);
        expect(await scene.db('publications').where({ route_article_id: id })).toEqual(publications);
      }),
      { numRuns: 40 },
    );
  });

  it('leaves what a person did meanwhile', async () => {
    const changes = fc.constantFrom<Change>(
      { action: 'reject' },
      { action: 'prioritise', priority: 7 },
      { action: 'edit', title: 'edited', text: 'edited' },
    );
    await fc.assert(
      fc.asyncProperty(fc.tuple(told, queued), changes, async ([what, where], change) => {
        const columns = { ...what, ...where };
        const [{ id }, { id: unclaimed }] = [await stored(columns), await stored(columns)];
        const claimToken = randomUUID();
        const request = { change, actor: 'ada', now: scene.clock.now() };

        const claimed = await claim(id, claimToken);
        await changeRouteArticle(scene.db, { id, ...request });
        await giveBack(id, claimToken, claimed.attempts, claimed);
        await changeRouteArticle(scene.db, { id: unclaimed, ...request });

        const own = [
          'id',
          'workspace_id',
          'channel_id',
          'article_id',
          'url_key',
          'post_key',
          'text',
          'text_hash',
        ];
        expect(await wholeBut(id, ...own)).toEqual(await wholeBut(unclaimed, ...own));
      }),
      { numRuns: 15 },
    );
  });
});

it('keeps when an unknown outcome was sent, if its repeat is given back', async () => {
  const columns = {
    publish_status: 'unknown',
    publish_attempts: 1,
    next_lookup_at: earlier,
    sending_at: earlier,
  };
  const { id } = await stored(columns);
  const claimToken = randomUUID();

  await claim(id, claimToken);
  await giveBackClaim(scene.db, { id, claimToken, passedGate: false, waitInstead: null, now: later });

  expect(await routeArticle(scene.db, id)).toMatchObject(columns);
});

const token = '00000000-0000-4000-8000-00000000000a';
const claimedBy = { claim_token: token, claimed_at: earlier };
/** Where a row may stand by now, and its publication: all of it after our claim was ended. */
const elsewhere = fc.constantFrom<[Columns, string | null]>(
  [{ publish_status: 'pending' }, null],
  [{ publish_status: 'failed', publish_attempts: 2, next_attempt_at: later }, null],
  [{ publish_status: 'dead', publish_attempts: 4 }, null],
  [{ publish_status: 'skipped', publish_attempts: 4, skip_reason: 'by_person' }, null],
  [{ publish_status: 'published', publish_attempts: 1 }, 'published'],
  [{ publish_status: 'publishing', publish_attempts: 2, claimed_from: 'failed', ...claimedBy }, null],
  [
    {
      publish_status: 'publishing',
      publish_attempts: 2,
      claimed_from: 'failed',
      sending_at: earlier,
      ...claimedBy,
    },
    'sending',
  ],
  [{ publish_status: 'publishing', publish_attempts: 2, claimed_from: 'unknown', ...claimedBy }, 'unknown'],
  [
    {
      publish_status: 'publishing',
      publish_attempts: 2,
      claimed_from: 'unknown',
      sending_at: earlier,
      ...claimedBy,
    },
    'sending',
  ],
  [{ publish_status: 'unknown', publish_attempts: 1, sending_at: earlier, next_lookup_at: later }, 'unknown'],
);
const answers = fc.constantFrom(refused, articleRefused, throttled, blocked, alreadyThere, unknown, {
  kind: 'not_sent' as const,
  code: 'aborted' as const,
  detail: 'stopped',
});

describe('a claim that was ended by somebody else', () => {
  async function staleClaim([columns, state]: [Columns, string | null]) {
    const { workspaceId, id } = await stored({ publish_status: 'pending' });
    const claimed = await claim(id, randomUUID());
    await scene
      .db('route_articles')
      .where({ id })
      .update({ ...ended, ...columns });
    const { channel_id, url_key, generation } = await routeArticle(scene.db, id);
    const publication = { workspace_id: workspaceId, channel_id, route_article_id: id, url_key, generation };
    const times = { counted_at: earlier, sending_at: earlier, send_by: earlier, post: '{}' };
    const published_at = state === 'published' ? earlier : null;
    if (state) await scene.db('publications').insert({ ...publication, state, published_at, ...times });
    return { workspaceId, claimed };
  }

  it('can neither be ended nor given back nor sent', async () => {
    await fc.assert(
      fc.asyncProperty(elsewhere, async by => {
        const { claimed } = await staleClaim(by);
        const { id, claimToken, attempts } = claimed;
        const before = await allTables(scene.db);
        const late = { id, claimToken, passedGate: false, now: later };
        const noEnd = { attempts: 1, nextAttemptAt: null, nextLookupAt: null, skipReason: null };
        const [at, post] = [scene.clock.now(), { ...composePost(claimed), composed: null }];
        const gate = { claimed, post, at, slotAt: at, clock: scene.clock, limits: defaultLimits };

        expect(
          await endClaim(scene.db, {
            ...late,
            ...noEnd,
            publishStatus: 'dead',
            errorCode: null,
            error: null,
          }),
        ).toBe(false);
        expect(await giveBackClaim(scene.db, { ...late, waitInstead: null })).toBe(false);
        expect(await giveBackClaims(scene.db, [{ id, claimToken, attempts }], later)).toEqual([]);
        expect(await giveBackClaims(scene.db, [{ id, claimToken, attempts: null }], later)).toEqual([]);
        expect(await undoGate(scene.db, claimed, later)).toBe(false);
        expect((await passGate(scene.db, { ...gate, repeatOf: null })).kind).not.toBe('passed');
        const [own] = await scene.db('publications').where({ route_article_id: id });
        if (own) expect((await passGate(scene.db, { ...gate, repeatOf: own.id })).kind).not.toBe('passed');
        expect(await allTables(scene.db)).toEqual(before);
      }),
      { numRuns: 40 },
    );
  });

  it('can have no outcome recorded once its publication is gone', async () => {
    await fc.assert(
      fc.asyncProperty(elsewhere, answers, fc.boolean(), async (by, answer, repeats) => {
        const { claimed } = await staleClaim(by);
        const before = await allTables(scene.db);
        const now = scene.clock.now();
        const intent = {
          publicationId: 999_999,
          post: { ...composePost(claimed), composed: null },
          sendingAt: now,
          sendBy: now,
        };
        const circumstances = {
          reconciliation: 'repeat',
          tickIntervalMs: 300_000,
          at: now,
          now,
          durationMs: 0,
          notes: null,
        } as const;
        const { destination } = claimed;
        const tried: EndedTry = { claimed: { ...claimed, repeats }, destination, intent, ...circumstances };

        await expect(recordOutcome(scene.db, tried, answer)).rejects.toThrow(ClaimLostError);

        expect(await allTables(scene.db)).toEqual(before);
      }),
      { numRuns: 60 },
    );
  });
});

const ended = {
  claim_token: null,
  claimed_at: null,
  claimed_from: null,
  claimed_wait: null,
  publish_attempts: 0,
};

describe('a publication that is settled', () => {
  it('is settled, and nothing that comes late changes it', async () => {
    const proofs = fc.constantFrom('answer' as const, 'look_up' as const, 'person' as const);
    await fc.assert(
      fc.asyncProperty(elsewhere, proofs, fc.boolean(), async ([columns, state], proof, isThere) => {
        fc.pre(state === null || state === 'published');
        const { id, publicationId: own } = await stored(columns, state);
        const publicationId = isThere && own ? own : 999_999;
        const publication = await scene.db('publications').where({ id: publicationId }).first();
        const sent = { publicationId, sendingAt: publication?.sending_at ?? later };
        const before = await allTables(scene.db);
        const messages = { channelUpMessage: '', accountUpMessage: '' };
        const found = { publicationId, proof, attempts: 1, remoteId: 'late', remoteUrl: null, durationMs: 0 };
        const end = { routeArticleId: id, attempts: 1, nextAttemptAt: null, errorCode: null, error: null };

        expect(await recordPublished(scene.db, { ...found, ...messages, now: later })).toBe(false);
        expect(await deletePublication(scene.db, sent)).toBe(false);
        expect(await deleteUnknown(scene.db, publicationId)).toBe(false);
        expect(await markUnknown(scene.db, sent)).toBeNull();
        expect(await endUnknown(scene.db, { ...end, publishStatus: 'failed', now: later })).toBe(false);
        expect(
          await recordLookUp(scene.db, { routeArticleId: id, next: later, detail: '', now: later }),
        ).toBe(false);
        expect(await allTables(scene.db)).toEqual(before);
      }),
      { numRuns: 40 },
    );
  });
});
