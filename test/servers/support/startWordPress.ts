import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { keep } from '../../../scripts/servers/keep.ts';
import { run } from '../../../scripts/servers/run.ts';
import { wordpressFolder } from '../../../scripts/servers/wordpress.ts';
import { installedFolder } from './describeServer.ts';
import { type MariaDb, startMariaDb } from './startMariaDb.ts';
import { type Started, startOnFreePort } from './startOnFreePort.ts';

export type ApplicationPassword = {
  applicationPassword: string;
  revokeApplicationPassword(): Promise<void>;
};

export type WordPressAccount = ApplicationPassword & {
  username: string;
  /** One more application password. */
  createApplicationPassword(): Promise<ApplicationPassword>;
};

export type WordPress = {
  url: string;
  /** May publish. */
  editor: WordPressAccount;
  /** May write drafts and hand them in. */
  contributor: WordPressAccount;
  /** May publish what is their own. */
  author: WordPressAccount;
  /** May read. */
  subscriber: WordPressAccount;
  stop(): Promise<void>;
};

const programs = fileURLToPath(new URL('../../../scripts/servers/wordpress/', import.meta.url));
const roles = ['editor', 'contributor', 'author', 'subscriber'] as const;
const passwords = z.record(z.enum(roles), z.string());
const passwordMade = z.object({ uuid: z.string(), password: z.string() });
// Without the cache every request compiles all of WordPress. It must write to nobody.
const php = ['-d', 'opcache.enable_cli=1', '-d', 'memory_limit=256M', '-d', 'sendmail_path=/bin/true'];

/** Starts a WordPress of the caller's own, on a MariaDB of its own. */
export async function startWordPress(): Promise<WordPress> {
  const root = wordpressFolder(installedFolder('wordpress'));
  const database = await startMariaDb();
  const server = await startPhp(root, database).catch(async error => {
    await database.stop();
    throw error;
  });
  const stop = async () => {
    await Promise.all([server.stop(), database.stop()]);
  };
  try {
    const accounts = await setUp(root, server);
    const { url } = server;
    const account = (username: keyof typeof accounts) => openAccount(url, username, accounts[username]);
    return {
      url,
      editor: account('editor'),
      contributor: account('contributor'),
      author: account('author'),
      subscriber: account('subscriber'),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Php = Started & { folder: string; env: Readonly<Record<string, string>> };

async function startPhp(root: string, { socket }: MariaDb): Promise<Php> {
  let folder = '';
  const env = (port: number) => ({ WORDPRESS_PORT: String(port), WORDPRESS_DATABASE_SOCKET: socket });
  const started = await startOnFreePort({
    name: 'wordpress',
    launch: async port => {
      folder = await mkdtemp(join(tmpdir(), 'headway-wordpress-'));
      return keep({
        command: 'php',
        args: [...php, '-S', `127.0.0.1:${port}`, '-t', root, join(programs, 'router.php')],
        folder,
        env: { ...env(port), PHP_CLI_SERVER_WORKERS: '4' },
      });
    },
    // A file: there is no site yet.
    isReady: async base => (await fetch(`${base}/license.txt`)).ok,
    limitMs: 30_000,
  });
  return { ...started, folder, env: env(started.port) };
}

async function setUp(root: string, { folder, env }: Php): Promise<z.infer<typeof passwords>> {
  const accounts = roles.map(role => `${role}=${role}`);
  const install = join(programs, 'install.php');
  const uploads = join(folder, 'uploads');
  const printed = await run(['php', ...php, install, root, uploads, ...accounts], { env, limitMs: 60_000 });
  return passwords.parse(JSON.parse(printed));
}

function openAccount(url: string, username: string, applicationPassword: string): WordPressAccount {
  const authorization = `Basic ${Buffer.from(`${username}:${applicationPassword}`).toString('base64')}`;

  async function ask(method: string, path: string, body?: URLSearchParams): Promise<unknown> {
    const passwords = `${url}/wp-json/wp/v2/users/me/application-passwords${path}`;
    const headers = { authorization };
    const answer = await fetch(passwords, { method, headers, ...(body && { body }) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} was refused: ${answer.status} ${text}`);
    return JSON.parse(text);
  }

  return {
    username,
    applicationPassword,
    // All that the user has.
    revokeApplicationPassword: async () => void (await ask('DELETE', '')),
    async createApplicationPassword() {
      const name = new URLSearchParams({ name: randomBytes(4).toString('hex') });
      const { uuid, password } = passwordMade.parse(await ask('POST', '', name));
      return {
        applicationPassword: password,
        revokeApplicationPassword: async () => void (await ask('DELETE', `/${uuid}`)),
      };
    },
  };
}
