import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { createChannel, createRouteArticle, createWorkspace, routeArticle } from '../support/factories.ts';
import { useHeadway } from '../support/headway.ts';

const database = useDatabase();
const program = useHeadway({ databaseUrl: () => database.url });
const sentAt = new Date('2026-09-07T10:00:00Z');
const longAfter = '2026-09-07T10:03:00Z';

let workspaceId = 0;
let channelId = 0;

beforeEach(async () => {
  workspaceId = await createWorkspace(database.db, { name: 'default', last_tick_at: new Date() });
  const settings = { folder: join(program.folder, 'outbox') };
  channelId = await createChannel(database.db, workspaceId, { name: 'outbox', platform: 'files', settings });
});

/** An article whose outcome is not known, and left to a person. */
async function unknownArticle(): Promise<number> {
  const id = await createRouteArticle(
    database.db,
    { workspaceId, channelId },
    {
      publish_status: 'unknown',
      publish_attempts: 4,
      sending_at: sentAt,
      last_error_code: 'response_timeout',
      last_error: 'no whole answer within the time limit',
    },
  );
  const { url_key, generation } = await routeArticle(database.db, id);
  await database.db('publications').insert({
    workspace_id: workspaceId,
    channel_id: channelId,
    route_article_id: id,
    url_key,
    generation,
    slot_at: sentAt,
    state: 'unknown',
    post: JSON.stringify({ postKey: randomUUID() }),
    counted_at: sentAt,
    sending_at: sentAt,
    send_by: new Date(sentAt.getTime() + 10_000),
  });
  return id;
}

const settle = (id: number, ...args: string[]) => program.headway(['queue', 'settle', String(id), ...args]);
const statusOf = async (id: number) => (await routeArticle(database.db, id)).publish_status;

describe('headway queue settle', () => {
  it('takes the word that it went out, with where it is, once', async () => {
    const id = await unknownArticle();
    const url = 'https://there.example/17';

    const first = await settle(id, '--published', '--url', url, '--json');
    const second = await settle(id, '--published');

    expect(first).toMatchObject({ exitCode: 0 });
    expect(first.json()).toEqual({
      routeArticleId: id,
      result: 'settled',
      detail: null,
      state: 'published',
      attempts: 4,
      remoteUrl: url,
    });
    expect(second).toMatchObject({ exitCode: 0, stdout: `Article ${id} was so already.\n` });
    expect(await database.db('audit_log').pluck('action')).toEqual(['settle']);
  });

  it('sends again what did not go out, but not while it may still arrive', async () => {
    const id = await unknownArticle();

    const early = await settle(id, '--send-again', '--at', '2026-09-07T10:01:55Z');
    const late = await settle(id, '--send-again', '--at', longAfter);

    expect(early).toMatchObject({
      exitCode: 1,
      stderr: `Article ${id} was left as it is: its first request may still arrive: try again after 2026-09-07T10:01:55.000Z.\n`,
    });
    expect(late).toMatchObject({ exitCode: 0, stdout: `Article ${id} will be sent again.\n` });
    expect(await statusOf(id)).toBe('pending');
  });

  it('refuses what it cannot do, and what is wrong', async () => {
    const id = await unknownArticle();
    const pending = await createRouteArticle(database.db, { workspaceId, channelId });

    const [neither, both, stray, bad, other, none] = await Promise.all([
      settle(id),
      settle(id, '--published', '--send-again'),
      settle(id, '--send-again', '--url', 'https://there.example/'),
      settle(id, '--published', '--url', 'there'),
      settle(pending, '--published'),
      settle(999_999, '--published'),
    ]);

    expect([neither, both, stray, bad].map(({ exitCode }) => exitCode)).toEqual([2, 2, 2, 2]);
    expect(bad.stderr).toContain('Allowed: an http or https URL.');
    expect([other, none].map(({ exitCode }) => exitCode)).toEqual([1, 1]);
    expect(other.stderr).toContain('it is pending, and nothing about it is unknown');
    expect(await statusOf(id)).toBe('unknown');
  });
});

describe('headway queue publish-again', () => {
  it('publishes once more what is out already', async () => {
    const id = await unknownArticle();
    await settle(id, '--published');

    const again = await program.headway(['queue', 'publish-again', String(id)]);

    expect(again).toMatchObject({ exitCode: 0, stdout: `Article ${id} will be published again.\n` });
    expect(await routeArticle(database.db, id)).toMatchObject({ publish_status: 'pending', generation: 2 });
  });
});
