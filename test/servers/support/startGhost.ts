import { randomBytes } from 'node:crypto';
import { cp, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { keep } from '../../../scripts/servers/keep.ts';
import { until } from '../../support/until.ts';
import { installedFolder } from './describeServer.ts';
import { startOnFreePort } from './startOnFreePort.ts';

export type GhostIntegration = {
  /** `id:secret`, as Ghost shows it to whoever adds an integration. */
  adminApiKey: string;
  /** Removes the integration, and with it the key. */
  revokeAdminApiKey(): Promise<void>;
};

export type Ghost = GhostIntegration & {
  url: string;
  /** Adds one more integration. */
  addIntegration(): Promise<GhostIntegration>;
  stop(): Promise<void>;
};

const integrations = z.object({
  integrations: z.tuple([
    z.object({ id: z.string(), api_keys: z.array(z.object({ type: z.string(), secret: z.string() })) }),
  ]),
});

/** Starts a Ghost of the caller's own, on SQLite, with one integration. */
export async function startGhost(): Promise<Ghost> {
  const installed = installedFolder('ghost');
  const { url, stop } = await startOnFreePort({
    name: 'ghost',
    launch: async port => {
      const folder = await mkdtemp(join(tmpdir(), 'headway-ghost-'));
      for (const name of ['data', 'logs', 'images', 'settings', 'public']) {
        await mkdir(join(folder, 'content', name), { recursive: true });
      }
      await cp(join(installed, 'content/themes'), join(folder, 'content/themes'), { recursive: true });
      return keep({
        command: process.execPath,
        args: ['index.js'],
        cwd: installed,
        folder,
        env: settings(folder, port),
      });
    },
    isReady: async base => (await fetch(`${base}/ghost/api/admin/site/`)).ok,
    limitMs: 90_000,
  });
  try {
    const addIntegration = await setUp(url);
    return { url, ...(await addIntegration()), addIntegration, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

// Ghost reads a setting `a.b` from the variable `a__b`.
function settings(folder: string, port: number): Readonly<Record<string, string>> {
  return {
    NODE_ENV: 'production',
    NODE_OPTIONS: '',
    url: `http://127.0.0.1:${port}`,
    server__host: '127.0.0.1',
    server__port: String(port),
    database__client: 'sqlite3',
    database__connection__filename: join(folder, 'content/data/ghost.db'),
    database__useNullAsDefault: 'true',
    paths__contentPath: join(folder, 'content'),
    mail__transport: 'stub',
    logging__transports: '["stdout"]',
    // A log-in from a new device would want a code from an e-mail.
    security__staffDeviceVerification: 'false',
    privacy__useTinfoil: 'true',
  };
}

/** Sets the site up as its owner does in the browser. Returns what adds an integration. */
async function setUp(url: string): Promise<Ghost['addIntegration']> {
  const owner = { email: 'owner@example.test', password: randomBytes(16).toString('hex') };
  const api = `${url}/ghost/api/admin`;
  let cookie = '';

  async function ask(method: string, path: string, body?: object): Promise<Response> {
    const answer = await fetch(`${api}${path}`, {
      method,
      headers: { origin: url, cookie, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`ghost answered ${answer.status} to ${path}: ${await answer.text()}`);
    return answer;
  }

  await ask('POST', '/authentication/setup/', { setup: [{ ...owner, name: 'Owner', blogTitle: 'Test' }] });
  // While it is still busy with its start it may forget the session that it has just given.
  await until(async () => {
    const session = await ask('POST', '/session/', { username: owner.email, password: owner.password });
    cookie = session.headers
      .getSetCookie()
      .map(set => set.split(';')[0])
      .join('; ');
    return ask('GET', '/integrations/');
  });

  return async () => {
    const named = { integrations: [{ name: randomBytes(4).toString('hex') }] };
    const added = await ask('POST', '/integrations/?include=api_keys', named);
    const [{ id, api_keys }] = integrations.parse(await added.json()).integrations;
    const key = api_keys.find(({ type }) => type === 'admin');
    if (key === undefined) throw new Error('ghost gave the integration no admin key');
    return {
      adminApiKey: key.secret,
      revokeAdminApiKey: async () => void (await ask('DELETE', `/integrations/${id}/`)),
    };
  };
}
