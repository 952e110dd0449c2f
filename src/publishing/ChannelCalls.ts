import type { AccountAccess, Channel, ImageAnswer, NotComposed, Refusal } from '../channels/Channel.ts';
import type { ExchangeMessage } from '../channels/exchangeMessage.ts';
import type { SendRequest } from '../channels/sendRequest.ts';
import type { Clock } from '../clock.ts';
import { AccountInUse } from './AccountInUse.ts';
import type { AccountSessions, OpenedAccount } from './AccountSessions.ts';
import { createSecretFilter } from './secretFilter.ts';

/** What bounds a question, or the composing of a post: only its signal. */
export type CallLimits = { clock: Clock; signal: AbortSignal };
export type SendLimits = CallLimits & { sendingAt: Date; sendBy: Date };

export type FetchImage = (
  url: string,
  limits: { maxBytes: number; signal: AbortSignal },
) => Promise<ImageAnswer>;

/** Makes a request helper that keeps to one publication's deadlines. */
export type CreateSend = (limits: CallLimits & { sendBy: Date }) => SendRequest;

/** The same for messages on a WebSocket. */
export type CreateExchangeMessage = (limits: CallLimits & { sendBy: Date }) => ExchangeMessage;

export type Collaborators = {
  createSend: CreateSend;
  createExchangeMessage: CreateExchangeMessage;
  fetchImage: FetchImage;
  sessions: AccountSessions;
};

export type CallOptions = {
  channel: Channel;
  /** Parsed. */
  settings: unknown;
  /** Null: the channel has none. */
  accountId: number | null;
};

const farOff = new Date(8.64e15);

/**
 * How a channel is called while it is tried: as one account, whose session is renewed once where it is refused, and
 * with whatever the remote side was told in confidence taken out of its answers.
 */
export class ChannelCalls {
  readonly #collaborators: Collaborators;
  readonly #options: CallOptions;
  /** Null: the channel has none. */
  readonly #account: AccountInUse | null;
  readonly #secrets = createSecretFilter();

  constructor(collaborators: Collaborators, options: CallOptions) {
    const { channel, settings, accountId } = options;
    this.#secrets.learn(settings, channel.secretKeys);
    this.#collaborators = collaborators;
    this.#options = options;
    this.#account =
      channel.account && accountId !== null
        ? new AccountInUse({ ...collaborators, accountId, kind: channel.account })
        : null;
  }

  /** Opens the session of its account. Null: it has none. */
  async open(limits: CallLimits): Promise<OpenedAccount | null> {
    return this.#account ? this.#account.open(limits) : null;
  }

  /** Does something as its account, where it has one. */
  async as<Answer extends object>(
    limits: CallLimits,
    act: (account: AccountAccess | null) => Promise<Answer>,
    refusalIn: (answer: Answer) => Refusal | null,
  ): Promise<Answer | NotComposed> {
    if (!this.#account) return this.#secrets.hideIn(await act(null));
    const { secretKeys = [] } = this.#options.channel.account ?? {};
    const actAs = (account: AccountAccess) => {
      this.#secrets.learn(account.credentials, secretKeys);
      return act(account);
    };
    return this.#secrets.hideIn(await this.#account.use(limits, actAs, refusalIn));
  }

  /** What a call sends with. Without `sendBy` no deadline binds it: it is no publication. */
  outlet({ clock, signal, sendBy = farOff }: CallLimits & { sendBy?: Date }) {
    const { createSend, createExchangeMessage } = this.#collaborators;
    const deadlines = { clock, signal, sendBy };
    return {
      send: this.#secrets.listen(createSend(deadlines)),
      exchangeMessage: createExchangeMessage(deadlines),
      signal,
    };
  }
}
