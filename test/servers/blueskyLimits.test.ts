import { afterAll, beforeAll, expect, it } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { alertKinds } from '../support/factories.ts';
import { describeServer } from './support/describeServer.ts';
import { openServerScene, triedIn } from './support/openServerScene.ts';
import { type Pds, startPds } from './support/startPds.ts';

// The limits of bsky.social, as it has them today.
const logInsInFiveMinutes = 30;

describeServer('pds', () => {
  const database = useDatabase();
  let pds: Pds;

  beforeAll(async () => {
    pds = await startPds({ hasRateLimits: true });
  });

  afterAll(() => pds?.stop());

  it('waits for as long as the server says where there were too many log-ins, and blames nobody', async () => {
    const { handle: username, appPassword } = pds.account;
    const scene = openServerScene(database.db);
    await scene.apply({ platform: 'bluesky', account: { instance: pds.url, username, appPassword } });
    await scene.article();
    const answers = await Promise.all(Array.from({ length: logInsInFiveMinutes }, () => logIn(username)));

    const tried = triedIn(await scene.tick());

    const [{ status, held_until: heldUntil }] = await database.db('accounts').select('status', 'held_until');
    const heldMs = heldUntil.getTime() - scene.clock.now().getTime();
    expect(answers).toEqual(Array(logInsInFiveMinutes).fill(401));
    expect(tried).toEqual(['throttled rate_limited']);
    expect(status).toBe('active');
    expect(Math.abs(heldMs - 300_000)).toBeLessThan(60_000);
    expect(await scene.queue()).toMatchObject([{ status: 'pending', attempts: 0 }]);
    expect(await alertKinds(database.db)).toEqual([]);
  });

  it('says in a check how much of the limits is left', async () => {
    const { handle: username, appPassword } = await pds.createAccount('unhurried');
    const scene = openServerScene(database.db);
    await scene.apply({ platform: 'bluesky', account: { instance: pds.url, username, appPassword } });

    const findings = await scene.check();

    expect(findings).toContainEqual({
      ...{ subject: 'limits', isOk: true },
      detail: expect.stringMatching(/^\d+ of 3000 requests left until 20/),
    });
  });

  async function logIn(identifier: string): Promise<number> {
    const answer = await fetch(`${pds.url}/xrpc/com.atproto.server.createSession`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ identifier, password: 'wrong' }),
    });
    return answer.status;
  }
});
