import { describe, expect, it } from 'vitest';
import type { PublishOutcome } from '../../src/channels/PublishOutcome.ts';
import { createAccount, createBacklog } from '../support/factories.ts';
import { blocked, refused, succeeded, throttled } from '../support/publishing.ts';
import { useScene } from '../support/scene.ts';

const scene = useScene();
const backlogSize = 100_000;

type Case = {
  name: string;
  channel?: Record<string, unknown>;
  /** Whether the channel sent something a minute ago. */
  hasJustSent?: boolean;
  answer?: PublishOutcome;
  /** How often the backlog's channel is tried before the other's article goes out. */
  tried?: number;
};

const cases: readonly Case[] = [
  { name: 'inside its interval', channel: { publish_interval_ms: 3_600_000 }, hasJustSent: true },
  { name: 'paused', channel: { paused: true } },
  { name: 'held', channel: { hold_reason: 'rate_limited', held_until: new Date('2027-09-08') } },
  { name: 'held until a person acts', channel: { hold_reason: 'gone' } },
  { name: 'over its own cap', channel: { daily_cap: 1 }, hasJustSent: true },
  { name: 'capped at nothing', channel: { daily_cap: 0 } },
  { name: 'archived', channel: { archived_at: new Date('2026-09-01') } },
  { name: 'without an account', channel: { needs_account: true }, tried: 1 },
  { name: 'answering its first 429', answer: throttled, tried: 1 },
  { name: 'banning us', answer: blocked, tried: 1 },
  { name: 'refusing connections', answer: refused, tried: 5 },
];

describe('a channel with a hundred thousand older due articles', () => {
  it('lets the article of another channel out at the first tick, whatever closes it', async () => {
    const workspaceId = await scene.workspace();
    const accountId = await createAccount(scene.db, workspaceId, { status: 'needs_attention' });
    const crowded = await scene.channel(workspaceId);
    const healthy = await scene.channel(workspaceId);
    await createBacklog(scene.db, { workspaceId, channelId: crowded, count: backlogSize });
    const [open] = await scene.db('channels').where({ id: crowded });
    const attention: Case = {
      name: 'with an account that needs attention',
      channel: { account_id: accountId },
    };
    const backlog = await scene.db('route_articles').where({ channel_id: crowded }).first();

    for (const { name, channel = {}, hasJustSent = false, answer, tried = 0 } of [...cases, attention]) {
      const { id: _, ...columns } = open;
      await scene.db('publications').delete();
      await scene.db('attempts').delete();
      await scene.db('workspaces').update({ last_slot_at: null });
      await scene
        .db('channels')
        .where({ id: crowded })
        .update({ ...columns, ...channel });
      const article = await scene.article(workspaceId, healthy, {
        title: 'healthy',
        created_at: new Date('2026-09-01'),
      });
      if (hasJustSent) await sentAMinuteAgo(backlog);
      scene.platform.publish = ({ title }) => (title === 'healthy' ? succeeded : (answer ?? succeeded));

      const result = await scene.tick(workspaceId);

      expect(result.published?.routeArticleId, name).toBe(article);
      expect(result.tried.length, name).toBe(tried + 1);
      scene.clock.advance({ hours: 24 });
    }
  }, 120_000);
});

async function sentAMinuteAgo(row: {
  id: number;
  workspace_id: number;
  channel_id: number;
  url_key: string;
}) {
  const at = new Date(scene.clock.now().getTime() - 60_000);
  await scene.db('publications').insert({
    workspace_id: row.workspace_id,
    channel_id: row.channel_id,
    route_article_id: row.id,
    url_key: row.url_key,
    generation: 1,
    state: 'published',
    post: '{}',
    counted_at: at,
    sending_at: at,
    send_by: at,
    published_at: at,
  });
}
