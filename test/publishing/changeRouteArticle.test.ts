import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Change, changeRouteArticle } from '../../src/publishing/changeRouteArticle.ts';
import { routeArticle } from '../support/factories.ts';
import { useScene } from '../support/scene.ts';

const scene = useScene();

type Columns = Record<string, unknown>;
const claim = {
  publish_attempts: 2,
  claim_token: randomUUID(),
  claimed_at: new Date('2026-09-07T09:59:00Z'),
  claimed_from: 'failed',
};
const wait = { next_attempt_at: new Date('2026-09-07T12:00:00Z') };
const error = { last_error_code: 'rejected', last_error: 'not this one' };

/** Every state that a row can be in, approved unless it says otherwise. */
const states: Readonly<Record<string, Columns>> = {
  pending: {},
  undecided: { approval_status: 'pending' },
  rejected: { approval_status: 'rejected' },
  failed: { publish_status: 'failed', publish_attempts: 2, ...wait, ...error },
  dead: { publish_status: 'dead', publish_attempts: 4, ...wait, ...error },
  skipped: { publish_status: 'skipped', publish_attempts: 4, skip_reason: 'duplicate' },
  claimed: { publish_status: 'publishing', ...claim },
  sending: { publish_status: 'publishing', ...claim, sending_at: new Date('2026-09-07T09:59:30Z') },
  unknown: { publish_status: 'unknown', publish_attempts: 1, sending_at: new Date('2026-09-07T09:59:30Z') },
  published: {
    publish_status: 'published',
    publish_attempts: 1,
    sending_at: new Date('2026-09-07T09:59:30Z'),
  },
};

async function rowIn(state: string): Promise<number> {
  const workspaceId = await scene.workspace();
  return scene.article(workspaceId, await scene.channel(workspaceId), states[state]);
}

function change(id: number, what: Change) {
  return changeRouteArticle(scene.db, { id, change: what, actor: 'test', now: scene.clock.now() });
}

/** What an action changed in a row, the time of the change aside. */
async function changesOf(id: number, act: () => Promise<unknown>): Promise<Columns> {
  const before = await routeArticle(scene.db, id);
  await act();
  const after = await routeArticle(scene.db, id);
  const changed = Object.keys(after).filter(column => String(after[column]) !== String(before[column]));
  return Object.fromEntries(
    changed.filter(column => column !== 'updated_at').map(column => [column, after[column]]),
  );
}

const retried = {
  publish_status: 'pending',
  publish_attempts: 0,
  next_attempt_at: null,
  last_error_code: null,
  last_error: null,
};
const byPerson = { publish_status: 'skipped', publish_attempts: 4, skip_reason: 'by_person' };
const noClaim = { claim_token: null, claimed_at: null, claimed_from: null };
const edit: Change = { action: 'edit', title: 'better', text: 'much better' };
const edited = {
  title: 'better',
  text: 'much better',
  text_hash: expect.any(String),
  is_edited: true,
};
const prioritise: Change = { action: 'prioritise', priority: 7 };

describe('changeRouteArticle', () => {
  it.each<[Change, string, Columns]>([
    [{ action: 'approve' }, 'undecided', { approval_status: 'approved', queue_state: 1 }],
    [{ action: 'approve' }, 'rejected', { approval_status: 'approved', queue_state: 1 }],
    [{ action: 'reject' }, 'pending', { approval_status: 'rejected', queue_state: 0 }],
    [{ action: 'reject' }, 'failed', { approval_status: 'rejected', queue_state: 0 }],
    [{ action: 'reject' }, 'claimed', { approval_status: 'rejected' }],
    [{ action: 'skip' }, 'pending', { ...byPerson, queue_state: 0 }],
    [{ action: 'skip' }, 'failed', { ...byPerson, next_attempt_at: null, queue_state: 0 }],
    [
      { action: 'skip' },
      'dead',
      { publish_status: 'skipped', skip_reason: 'by_person', next_attempt_at: null },
    ],
    [{ action: 'skip' }, 'claimed', { ...byPerson, ...noClaim, queue_state: 0 }],
    [{ action: 'retry' }, 'failed', { ...retried, queue_state: 1 }],
    [{ action: 'retry' }, 'dead', { ...retried, queue_state: 1 }],
    [prioritise, 'pending', { priority: 7 }],
    [prioritise, 'failed', { priority: 7 }],
    [prioritise, 'claimed', { priority: 7 }],
    [edit, 'pending', edited],
    [edit, 'failed', edited],
    [edit, 'claimed', edited],
  ])('lets a person %o what is %s, changes only what it may, and once', async (what, state, changes) => {
    const id = await rowIn(state);

    const first = await changesOf(id, async () =>
      expect(await change(id, what)).toMatchObject({ kind: 'changed' }),
    );
    const second = await changesOf(id, async () =>
      expect(await change(id, what)).toMatchObject({ kind: 'unchanged' }),
    );

    expect(first).toEqual(changes);
    expect(second).toEqual({});
    const audit = await scene.db('audit_log').select('action', 'subject_id', 'actor');
    expect(audit).toEqual([{ action: what.action, subject_id: id, actor: 'test' }]);
  });

  const actions: readonly Change[] = [
    { action: 'approve' },
    { action: 'reject' },
    { action: 'skip' },
    edit,
    prioritise,
  ];
  const tooLate = ['sending', 'unknown', 'published'].flatMap(state =>
    [...actions, { action: 'retry' } as const].map(what => [what, state] as const),
  );
  it.each<readonly [Change, string]>([
    ...tooLate,
    [{ action: 'retry' }, 'claimed'],
    [{ action: 'retry' }, 'skipped'],
  ])('refuses to %o what is %s, and changes nothing', async (what, state) => {
    const id = await rowIn(state);

    const changes = await changesOf(id, async () => {
      const result = await change(id, what);
      expect(result).toMatchObject({ kind: 'refused', detail: expect.stringMatching(/\w/) });
    });

    expect(changes).toEqual({});
    expect(await scene.db('audit_log')).toEqual([]);
  });

  it('says that there is no such article', async () => {
    expect(await change(4_242, { action: 'approve' })).toEqual({ kind: 'not_found' });
  });

  it('counts two people who press at once as one', async () => {
    const id = await rowIn('dead');

    const results = await Promise.all([change(id, { action: 'retry' }), change(id, { action: 'retry' })]);

    expect(results.map(({ kind }) => kind).sort()).toEqual(['changed', 'unchanged']);
    expect(await scene.db('audit_log')).toHaveLength(1);
  });
});
