import type { Channel, NotComposed } from '../channels/Channel.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/Database.ts';
import { transact } from '../database/transact.ts';
import { liftAccountHolds } from '../models/accountConfiguration.ts';
import { type ListedAccount, reactivateAccount } from '../models/accounts.ts';
import { raiseAlert } from '../models/alerts.ts';
import { recordAudit } from '../models/auditLog.ts';
import type { AccountSessions } from './AccountSessions.ts';
import type { CreateSend } from './ChannelCalls.ts';

export type AccountTools = {
  db: Database;
  sessions: AccountSessions;
  channels: ReadonlyMap<string, Channel>;
  createSend: CreateSend;
};

type Account = Pick<ListedAccount, 'id' | 'name' | 'platform' | 'status'>;
type Limits = { clock: Clock; signal: AbortSignal };

const farOff = new Date(8.64e15);

/**
 * Logs in with an account's credentials as they are stored, whatever session is open, and keeps what they open.
 * Null: they are good, or its platform logs in nowhere.
 */
export async function testAccount(
  { sessions, channels, createSend }: AccountTools,
  { id: accountId, platform }: Account,
  { clock, signal }: Limits,
): Promise<NotComposed | null> {
  const kind = channels.get(platform)?.account ?? null;
  if (!kind) return null;
  const send = createSend({ clock, sendBy: farOff, signal });
  const opened = await sessions.open({ accountId, kind, anew: true, clock, send, signal });
  return opened.kind === 'opened' ? null : opened;
}

/** `changed`: it needed attention, or was held; twice equals once. */
export type ReconnectResult = { kind: 'reconnected'; changed: boolean } | { kind: 'refused'; detail: string };

/**
 * A person's word that an account is usable again: proved by a log-in, its channels flow on at the pace that
 * they had.
 */
export async function reconnectAccount(
  tools: AccountTools,
  account: Account & { workspaceId: number },
  { actor, ...limits }: Limits & { actor: string },
): Promise<ReconnectResult> {
  const { id, name, status, workspaceId } = account;
  if (status === 'disabled') {
    return { kind: 'refused', detail: 'it is disabled: remove "active: false" from the file and apply it' };
  }
  const refusal = await testAccount(tools, account, limits);
  if (refusal) return { kind: 'refused', detail: refusal.detail };
  const now = limits.clock.now();
  const changed = await transact(tools.db, async trx => {
    const before = await reactivateAccount(trx, id);
    if (!before) return false;
    await liftAccountHolds(trx, [workspaceId]);
    if (before.wasDown) {
      const message = `Account ${name} is connected again.`;
      await raiseAlert(trx, { workspaceId, kind: 'account_up', message, accountId: id, now });
    }
    const subject = { subjectType: 'account', subjectId: id } as const;
    await recordAudit(trx, { workspaceId, actor, action: 'reconnect', ...subject, now });
    return true;
  });
  return { kind: 'reconnected', changed };
}
