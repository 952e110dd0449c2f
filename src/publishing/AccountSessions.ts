import { setTimeout as sleep } from 'node:timers/promises';
import type { AccountKind } from '../channels/AccountKind.ts';
import type { AccountAccess, NotComposed } from '../channels/Channel.ts';
import type { SendRequest } from '../channels/sendRequest.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/Database.ts';
import { loadAccount, type StoredAccount, storeSession } from '../models/accounts.ts';
import { openSecrets, type SecretBox, type Secrets } from '../secrets.ts';
import { createSecretFilter } from './secretFilter.ts';
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

  /** A session that can be used now. Throws when the database is away. */
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
    if (!kept) return null;
    const credentials = this.#readCredentials(stored, kind);
    return isUnusable(credentials) ? credentials : opened(credentials.value, kept.session, revision);
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
    if (isUnusable(credentials)) return credentials;
    const previous = anew ? null : (this.#readSession(stored, kind)?.session ?? null);
    const filter = createSecretFilter();
    filter.learn(credentials.value, kind.secretKeys);
    const context = { openedAt: clock.now(), send: filter.listen(send), signal };
    const answer = await kind.openSession(credentials.value, previous, context);
    if (answer.kind !== 'opened') {
      // What the old credentials were refused says nothing of those that were applied meanwhile.
      return (await this.#hasChanged(stored)) ? null : filter.hideIn(answer);
    }

    const { session, expiresAt } = answer;
    const sealed = this.#box.seal(JSON.stringify(session), 'sessions');
    const values = { id: accountId, revision: stored.sessionRevision, session: sealed, expiresAt };
    const revision = await storeSession(this.#db, values);
    return revision === null ? null : opened(credentials.value, session, revision);
  }

  async #hasChanged({ id, sessionRevision }: StoredAccount): Promise<boolean> {
    const current = await loadAccount(this.#db, id);
    return current !== null && current.sessionRevision !== sessionRevision;
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

  #readCredentials(stored: StoredAccount, kind: AccountKind): { value: unknown } | Unusable {
    const { instance, username } = stored;
    const secrets = this.#readSecrets(stored);
    if (secrets === null)
      return unusable('a secret of its account cannot be opened with this HEADWAY_SECRET_KEY');
    const parsed = kind.credentials.safeParse({
      ...(instance !== '' && { instance }),
      ...(username !== null && { username }),
      ...Object.fromEntries(Object.entries(secrets).map(([key, { value }]) => [key, value])),
    });
    if (parsed.success) return { value: parsed.data };
    const keys = parsed.error.issues.map(issue => issue.path.join('.')).join(', ');
    return unusable(`its account cannot be used as it is stored (invalid ${keys}): apply it again`);
  }

  #readSecrets({ secrets }: StoredAccount): Secrets | null {
    try {
      return openSecrets(secrets, this.#box, 'accounts');
    } catch {
      return null;
    }
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
// Nobody's fault: its articles lose no attempt by it.
const stillRenewed: NotComposed = {
  kind: 'throttled',
  scope: 'account',
  code: 'unavailable',
  detail: 'another process is opening a session of this account, and does not get it',
  until: null,
};

type Unusable = Extract<NotComposed, { kind: 'blocked' }>;

// As a channel whose settings cannot be read: mended by an apply, or by the right key.
function unusable(detail: string): Unusable {
  return { kind: 'blocked', scope: 'account', code: 'unavailable', detail, isGone: false };
}

function isUnusable(credentials: { value: unknown } | Unusable): credentials is Unusable {
  return 'kind' in credentials;
}
