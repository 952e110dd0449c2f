import { readdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { useHeadway } from '../support/headway.ts';
import { until } from '../support/until.ts';

// It brings its own database, and reads no setting of ours.
const { startHeadway } = useHeadway({ databaseUrl: () => 'postgres://127.0.0.1:1/nowhere' });
const limitMs = 90_000;
let outbox = '';

afterEach(async () => {
  if (outbox !== '') await rm(dirname(outbox), { recursive: true, force: true });
  outbox = '';
});

describe('headway demo', () => {
  it(
    'shows the main job by itself: something is out soon, and it ends',
    async () => {
      const startedMs = performance.now();
      const demo = startHeadway('demo');

      await until(() => /^\S+Z {2}published "/m.test(demo.stdout), { timeoutMs: 30_000 });
      const firstMs = performance.now() - startedMs;
      const { exitCode } = await demo.ended();

      const told = demo.stdout;
      outbox = /^The Markdown files are in (.+)$/m.exec(told)?.[1] ?? '';
      expect({ exitCode, stderr: demo.stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(firstMs).toBeLessThan(15_000);
      const [published = 0, , dead, unknown] = numbersIn(/^Published .*$/m.exec(told)?.[0]);
      expect({ dead, unknown }).toEqual({ dead: 0, unknown: 0 });
      expect(published).toBeGreaterThanOrEqual(5);
      // At most one a tick, and a tick is two seconds.
      const slots = told.match(/^\S+Z {2}(published|nothing)/gm) ?? [];
      expect(published).toBeLessThanOrEqual(slots.length);
      const [posts = 0] = numbersIn(/^The webhook receiver took .*$/m.exec(told)?.[0]);
      const names = await readdir(outbox, { recursive: true });
      const files = names.filter(name => name.endsWith('.md'));
      expect(posts).toBeGreaterThan(0);
      expect(files.length).toBeGreaterThan(0);
      expect(files.length + posts).toBe(published);
      expect(told).toContain('channel busy waits: channel_held until');
      // No colour and no progress where nobody watches.
      expect(told).not.toContain('\u001b');
      expect(told).not.toContain('\r');
    },
    limitMs,
  );

  it('goes on with --keep until it is interrupted, and then sums up', async () => {
    const demo = startHeadway('demo --keep');
    await until(() => /^Web side: http/m.test(demo.stdout), { timeoutMs: 25_000 });

    demo.signal('SIGINT');
    const { exitCode } = await demo.ended();

    outbox = /^The Markdown files are in (.+)$/m.exec(demo.stdout)?.[1] ?? '';
    expect({ exitCode, stderr: demo.stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(demo.stdout).toMatch(/^Published \d+, skipped \d+, dead 0, unknown 0\.$/m);
    expect(demo.stdout).toContain('The password of "admin" is');
  });
});

function numbersIn(text = ''): number[] {
  return (text.match(/\d+/g) ?? []).map(Number);
}
