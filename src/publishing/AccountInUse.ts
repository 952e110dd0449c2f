import type { AccountKind } from '../channels/AccountKind.ts';
import type { AccountAccess, NotComposed, Refusal } from '../channels/Channel.ts';
import type { AccountSessions, OpenAccount, OpenedAccount } from './AccountSessions.ts';
import type { CallLimits, CreateSend } from './ChannelCalls.ts';

/** Where an account comes from. */
export type AccountSource = {
  accountId: number;
  kind: AccountKind;
  sessions: AccountSessions;
  createSend: CreateSend;
};

// No deadline of a publication binds the opening of a session.
const farOff = new Date(8.64e15);

/** The account of a channel while it is tried: one session for all its calls, until that is refused. */
export class AccountInUse {
  readonly #source: AccountSource;
  #account: OpenAccount | null = null;

  constructor(source: AccountSource) {
    this.#source = source;
  }

  /** Its session, opened with the first call; `refused` names the one that is not wanted again. */
  async open({ clock, signal }: CallLimits, refused?: number): Promise<OpenedAccount> {
    if (this.#account && this.#account.revision !== refused)
      return { kind: 'opened', account: this.#account };
    const { createSend, sessions, accountId, kind } = this.#source;
    const send = createSend({ clock, sendBy: farOff, signal });
    const request = { accountId, kind, clock, send, signal, ...(refused !== undefined && { refused }) };
    const opened = await sessions.open(request);
    if (opened.kind === 'opened') this.#account = opened.account;
    return opened;
  }

  /**
   * Does something with it. Where the remote side refuses its session, another one is used, once: the one that
   * somebody else has opened meanwhile, or a new one. Refused again, the account needs a person.
   */
  async use<Answer extends object>(
    limits: CallLimits,
    act: (account: AccountAccess) => Promise<Answer>,
    refusalIn: (answer: Answer) => Refusal | null,
  ): Promise<Answer | NotComposed> {
    const first = await this.open(limits);
    if (first.kind !== 'opened') return first;
    const answer = await act(first.account);
    if (!isUnauthorized(refusalIn(answer))) return answer;

    const second = await this.#openAgain(limits, first.account.revision);
    if (second === null) return answer;
    if (second.kind !== 'opened') return second;
    const secondAnswer = await act(second.account);
    // Given back, it might fare the same at every tick, and nobody would hear of it.
    if (isTooLate(secondAnswer)) return answer;
    const refusal = refusalIn(secondAnswer);
    return isUnauthorized(refusal) ? { ...refusal, isGone: true } : secondAnswer;
  }

  // The refusal was definite, whatever goes wrong now: a database that is away, or a fault of the platform's.
  async #openAgain(limits: CallLimits, refused: number): Promise<OpenedAccount | null> {
    return this.open(limits, refused).catch(() => null);
  }
}

function isUnauthorized(refusal: Refusal | null): refusal is Extract<Refusal, { kind: 'blocked' }> {
  return refusal?.kind === 'blocked' && refusal.scope === 'account' && refusal.code === 'unauthorized';
}

function isTooLate(answer: object): boolean {
  return 'code' in answer && answer.code === 'send_by_passed';
}
