import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kept, keep } from '../../../scripts/servers/keep.ts';
import { run } from '../../../scripts/servers/run.ts';
import { snacProgram } from '../../../scripts/servers/snac.ts';
import { installedFolder } from './describeServer.ts';
import { createSnacToken, type SnacLogin } from './snacToken.ts';
import { startOnFreePort } from './startOnFreePort.ts';

export type SnacToken = {
  accessToken: string;
  /** The server forgets the token, as if its owner had taken back the access. */
  revokeToken(): Promise<void>;
};

export type SnacAccount = SnacLogin &
  SnacToken & {
    /** One more token. */
    createToken(): Promise<SnacToken>;
  };

/** A snac2: Mastodon's API, without idempotency keys, with errors in HTML or without a word. */
export type Snac = {
  url: string;
  bot: SnacAccount;
  /** Somebody else on the same server. */
  other: SnacAccount;
  stop(): Promise<void>;
};

const commandLimitMs = 20_000;

/** Starts a snac of the caller's own with two accounts. */
export async function startSnac(): Promise<Snac> {
  const program = snacProgram(installedFolder('snac'));
  let folder = '';
  const { url, stop } = await startOnFreePort({
    name: 'snac',
    launch: async port => {
      folder = await mkdtemp(join(tmpdir(), 'headway-snac-'));
      return launch(program, { folder, port });
    },
    isReady: async base => (await fetch(`${base}/api/v1/instance`)).ok,
    limitMs: 20_000,
  });

  async function createAccount(username: string): Promise<SnacAccount> {
    const printed = await run([program, 'adduser', join(folder, 'base'), username], {
      limitMs: commandLimitMs,
    });
    const [, password] = /password is (\S+)/.exec(printed) ?? [];
    if (password === undefined) throw new Error(`snac named no password: ${printed}`);
    const login = { username, password };
    const createToken = async (): Promise<SnacToken> => {
      const accessToken = await createSnacToken(url, login);
      // It has a request for this too, and forgets the token in the same way.
      const revokeToken = () => rm(join(folder, 'base/token', `${accessToken}.json`));
      return { accessToken, revokeToken };
    };
    return { ...login, ...(await createToken()), createToken };
  }

  try {
    return { url, bot: await createAccount('bot'), other: await createAccount('other'), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

// It asks for address, port, host, prefix, e-mail address and an account; and would call itself https://. Behind
// a post it asks things of itself: with three threads, all of them may wait 6 s for a fourth.
const initialise =
  'printf "%s\\n" 127.0.0.1 "$PORT" "127.0.0.1:$PORT" "" admin@example.test "" | "$PROGRAM" init "$BASE"' +
  ` && sed -i 's/"protocol": "https"/"protocol": "http", "num_threads": 16/' "$BASE/server.json"`;

function launch(program: string, { folder, port }: { folder: string; port: number }): Kept {
  return keep({
    command: 'sh',
    args: ['-c', `${initialise} && exec "$PROGRAM" httpd "$BASE"`],
    folder,
    env: { PROGRAM: program, BASE: join(folder, 'base'), PORT: String(port) },
  });
}
