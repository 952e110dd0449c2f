import { setTimeout as sleep } from 'node:timers/promises';
import type { AccountKind } from '../channels/AccountKind.ts';
import type { AccountAccess, NotComposed } from '../channels/Channel.ts';
import type { SendRequest } from '../channels/sendRequest.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/Database.ts';
import { loadAccount, type StoredAccount, storeSession } from '../models/accounts.ts';
import { openSecrets, type SecretBox } from '../secrets.ts';
import type { LockUnit } from './workspaceLock.ts';

/** An account with its session open. `revision` names the session, should it be refused. */
export type OpenAccount = AccountAccess & { revision: number };

export type OpenedAccount = { kind: 'opened'; account: OpenAccount } | NotComposed;

export type SessionRequest = {
  accountId: number;
  kind: AccountKind;
  /** The session that the remote side has just refused: another one is wanted. */
  refused?: number;
  /** With the credentials alone, whatever is open: after a person's word. */
  anew?: boolean;
  clock: Clock;
  send: SendRequest;
  signal: AbortSignal;
};

const marginMs = 5 * 60_000;
const pollMs = 100;
const longestWaitMs = 20_000;

/**
 * What the credentials of accounts have opened, kept in the database for every process: a log-in is not spent
 * on each post. A session is renewed before it expires, once, under its account's lock: whoever comes second
 * waits, and finds the new one.
 */
export class AccountSessions {
  readonly #db: Database;
  readonly #box: SecretBox;
  readonly #lock: LockUnit;

  constructor({ db, secretBox, lock }: { db: Database; secretBox: SecretBox; lock: LockUnit }) {
    this.#db = db;
    this.#box = secretBox;
    this.#lock = lock;
  }

  /** A session that can be used now. Throws when the database is away, or a secret cannot be opened. */
  async open(request: SessionRequest): Promise<OpenedAccount> {
    const { accountId, signal } = request;
    const giveUpAt = performance.now() + longestWaitMs;
    while (!signal.aborted && performance.now() < giveUpAt) {
      const usable = await this.#findUsable(request);
      if (usable) return usable;
      const lock = await this.#lock(`account:${accountId}`);
      if (!lock) await sleep(pollMs, undefined, { signal }).catch(() => {});
      else {
        try {
          const renewed = await this.#renew(request);
          if (renewed) return renewed;
        } finally {
          await lock.release();
        }
      }
    }
    return signal.aborted ? aborted : stillRenewed;
  }

  async #findUsable(request: SessionRequest): Promise<OpenedAccount | null> {
    const { accountId, kind, refused, anew = false, clock } = request;
    const stored = await loadAccount(this.#db, accountId);
    if (!stored) return gone;
    const { sessionExpiresAt: expiresAt, sessionRevision: revision } = stored;
    const isExpiring = expiresAt !== null && expiresAt.getTime() - clock.now().getTime() < marginMs;
    if (anew || isExpiring || revision === refused) return null;
    const kept = this.#readSession(stored, kind);
    return kept && opened(this.#readCredentials(stored, kind), kept.session, revision);
  }

  /** Null: the account has changed meanwhile, so it is to be read again. */
  async #renew(request: SessionRequest): Promise<OpenedAccount | null> {
    const { accountId, kind, anew = false, clock, send, signal } = request;
    // Whoever had the lock before may have renewed it.
    const usable = await this.#findUsable(request);
    if (usable) return usable;
    const stored = await loadAccount(this.#db, accountId);
    if (!stored) return gone;
    const credentials = this.#readCredentials(stored, kind);
    const previous = anew ? null : (this.#readSession(stored, kind)?.session ?? null);
    const openedAt = clock.now();
    const answer = await kind.openSession(credentials, previous, { openedAt, send, signal });
    if (answer.kind !== 'opened') return answer;

    const { session, expiresAt } = answer;
    const sealed = this.#box.seal(JSON.stringify(session), 'sessions');
    const values = { id: accountId, revision: stored.sessionRevision, session: sealed, expiresAt };
    const revision = await storeSession(this.#db, values);
    return revision === null ? null : opened(credentials, session, revision);
  }

  // Sealed with another key, or of another version of Headway: it is opened anew.
  #readSession({ session }: StoredAccount, kind: AccountKind): { session: unknown } | null {
    if (session === null) return null;
    try {
      const parsed = kind.session.safeParse(JSON.parse(this.#box.open(session, 'sessions')));
      return parsed.success ? { session: parsed.data } : null;
    } catch {
      return null;
    }
  }

  #readCredentials({ name, instance, username, secrets }: StoredAccount, kind: AccountKind): unknown {
    const values = Object.entries(openSecrets(secrets, this.#box, 'accounts'));
    const parsed = kind.credentials.safeParse({
      ...(instance !== '' && { instance }),
      ...(username !== null && { username }),
      ...Object.fromEntries(values.map(([key, { value }]) => [key, value])),
    });
    if (parsed.success) return parsed.data;
    const keys = parsed.error.issues.map(issue => issue.path.join('.')).join(', ');
    throw new Error(`account ${name} cannot be used as it is stored: apply it again (invalid ${keys})`);
  }
}

function opened(credentials: unknown, session: unknown, revision: number): OpenedAccount {
  return { kind: 'opened', account: { credentials, session, revision } };
}

const aborted: NotComposed = {
  kind: 'not_sent',
  code: 'aborted',
  detail: 'aborted while its session was opened',
};
const gone: NotComposed = {
  kind: 'blocked',
  scope: 'channel',
  code: 'no_account',
  detail: 'its account is in the archive',
  isGone: false,
};
const stillRenewed: NotComposed = {
  kind: 'failed',
  code: 'response_timeout',
  detail: 'another process is opening a session of this account, and does not get it',
  isFinal: false,
  blames: 'channel',
};
