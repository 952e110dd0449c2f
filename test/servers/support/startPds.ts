import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { keep } from '../../../scripts/servers/keep.ts';
import { installedFolder } from './describeServer.ts';
import { startOnFreePort } from './startOnFreePort.ts';

export type PdsAppPassword = {
  appPassword: string;
  /** Sessions made with it go on until they expire: only their refresh and new ones are refused. */
  revokeAppPassword(): Promise<void>;
};

export type PdsAccount = PdsAppPassword & {
  handle: string;
  did: string;
  /** The account's own. */
  password: string;
  /** One more app password. */
  createAppPassword(): Promise<PdsAppPassword>;
  /** As its owner does it, who may come back. */
  deactivate(): Promise<void>;
  /** As its host does it: nothing of it stays. */
  remove(): Promise<void>;
  /** As a moderator does it: the account may no longer do anything. */
  takeDown(): Promise<void>;
};

/** A Bluesky PDS with its directory of identities. */
export type Pds = {
  url: string;
  account: PdsAccount;
  /** Makes one more account; its handle becomes `<name>.test` (some names are reserved, such as `bot`). */
  createAccount(name: string): Promise<PdsAccount>;
  stop(): Promise<void>;
};

const program = fileURLToPath(new URL('../../../scripts/servers/pds/process.mjs', import.meta.url));
const created = z.object({ did: z.string(), accessJwt: z.string() });
const passwordMade = z.object({ password: z.string() });

export type PdsOptions = {
  /** Those of bsky.social. Default: off. */
  hasRateLimits?: boolean;
  /** Where its accounts' data lies, as it tells whoever logs in. Default: on itself. */
  publicUrl?: string | null;
};

/** Starts a PDS of the caller's own with one account. */
export async function startPds({ hasRateLimits = false, publicUrl = null }: PdsOptions = {}): Promise<Pds> {
  const installed = installedFolder('pds');
  const adminPassword = secret();
  const settings = {
    adminPassword,
    jwtSecret: secret(),
    signingKey: secret(),
    rotationKey: secret(),
    hasRateLimits,
    publicUrl,
  };
  const { url, stop } = await startOnFreePort({
    name: 'pds',
    launch: async port => {
      const folder = await mkdtemp(join(tmpdir(), 'headway-pds-'));
      await mkdir(join(folder, 'data'));
      return keep({
        command: process.execPath,
        args: [program, installed, folder, String(port)],
        folder,
        env: { PDS_SETTINGS: JSON.stringify(settings), NODE_OPTIONS: '', LOG_ENABLED: 'false' },
      });
    },
    isReady: async base => (await fetch(`${base}/xrpc/_health`)).ok,
    limitMs: 60_000,
  });
  const admin = `Basic ${Buffer.from(`admin:${adminPassword}`).toString('base64')}`;
  const call = (method: string, body: object, authorization?: string) =>
    procedure(`${url}/xrpc/com.atproto.${method}`, { body, authorization });

  async function createAccount(name: string): Promise<PdsAccount> {
    const handle = `${name}.test`;
    const account = { handle, email: `${name}@example.test`, password: secret() };
    const { did, accessJwt } = created.parse(await call('server.createAccount', account));
    const owner = `Bearer ${accessJwt}`;

    async function createAppPassword(): Promise<PdsAppPassword> {
      const named = { name: secret().slice(0, 8) };
      const { password: appPassword } = passwordMade.parse(
        await call('server.createAppPassword', named, owner),
      );
      const revokeAppPassword = async () => void (await call('server.revokeAppPassword', named, owner));
      return { appPassword, revokeAppPassword };
    }

    return {
      handle,
      did,
      password: account.password,
      ...(await createAppPassword()),
      createAppPassword,
      async deactivate() {
        await call('server.deactivateAccount', {}, owner);
      },
      async remove() {
        await call('admin.deleteAccount', { did }, admin);
      },
      async takeDown() {
        const subject = { $type: 'com.atproto.admin.defs#repoRef', did };
        const takedown = { applied: true, ref: 'test' };
        await call('admin.updateSubjectStatus', { subject, takedown }, admin);
      },
    };
  }

  try {
    return { url, account: await createAccount('newsbot'), createAccount, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function secret(): string {
  return randomBytes(32).toString('hex');
}

async function procedure(
  url: string,
  { body, authorization }: { body: object; authorization: string | undefined },
): Promise<unknown> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(authorization === undefined ? {} : { authorization }),
    },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text}`);
  return text === '' ? null : JSON.parse(text);
}
