import { describe, expect, it } from 'vitest';
import { createLogger } from '../../src/logger.ts';
import { TickJournal } from '../../src/publishing/TickJournal.ts';
import { useScene } from '../support/scene.ts';

const scene = useScene();
const first = new Date('2026-09-07T10:00:00Z');
const second = new Date('2026-09-07T10:05:00Z');

describe('TickJournal', () => {
  it('writes the newest tick of each workspace when it stops, and that the database is live', async () => {
    const never = { last_tick_at: null };
    const one = await scene.workspace(never);
    const other = await scene.workspace(never);
    const idle = await scene.workspace(never);
    const journal = new TickJournal(scene.db, createLogger('silent'));
    journal.start();
    journal.note(one, first);
    journal.note(one, second);
    journal.note(other, first);

    await journal.stop();

    const rows = await scene.db('workspaces').orderBy('id').select('id', 'last_tick_at', 'live_since');
    expect(rows).toEqual([
      { id: one, last_tick_at: second, live_since: second },
      { id: other, last_tick_at: first, live_since: first },
      { id: idle, last_tick_at: null, live_since: null },
    ]);
  });

  it('keeps the instant since which the database is live', async () => {
    const workspaceId = await scene.workspace();
    for (const at of [first, second]) {
      const journal = new TickJournal(scene.db, createLogger('silent'));
      journal.note(workspaceId, at);
      await journal.stop();
    }

    expect(await scene.db('workspaces').first()).toMatchObject({ last_tick_at: second, live_since: first });
  });

  it('stops quietly when the database is away', async () => {
    const workspaceId = await scene.workspace();
    await scene.db.raw('alter table workspaces rename column last_tick_at to gone');
    const journal = new TickJournal(scene.db, createLogger('silent'));
    journal.note(workspaceId, first);

    const stopped = await journal
      .stop()
      .finally(() => scene.db.raw('alter table workspaces rename column gone to last_tick_at'));

    expect(stopped).toBeUndefined();
  });
});
