import type {
  Channel,
  LookUpAnswer,
  LookUpContext,
  Post,
  Reconciliation,
  Sought,
} from '../channels/Channel.ts';
import type { PublishOutcome } from '../channels/PublishOutcome.ts';
import type { SendRequest } from '../channels/sendRequest.ts';
import type { Clock } from '../clock.ts';
import type { Destination } from '../models/channels.ts';

export type SendLimits = { clock: Clock; sendingAt: Date; sendBy: Date; signal: AbortSignal };

/** `signal` is what limits a search. */
export type LookUpLimits = { clock: Clock; signal: AbortSignal };

export type Collaborators = {
  channels: ReadonlyMap<string, Channel>;
  /** Merges a channel's settings with its opened secrets. Throws when they cannot be opened. */
  openSettings: (destination: Destination) => unknown;
  /** A request helper that keeps to one publication's deadlines. */
  createSend: (limits: Omit<SendLimits, 'sendingAt'>) => SendRequest;
};

/** A destination that can be posted to and asked. */
export type Ready = {
  kind: 'ready';
  /** How it can find out about a lost answer. */
  reconciliation: Reconciliation['kind'];
  /** Null: the platform cannot be asked what is there already. */
  findExisting: ((post: Post, limits: LookUpLimits) => Promise<LookUpAnswer>) | null;
  send: (post: Post, limits: SendLimits) => Promise<PublishOutcome>;
  /** Searches for a post whose answer was lost; always incomplete where that cannot be done. */
  lookUp: (sought: Sought, limits: LookUpLimits) => Promise<LookUpAnswer>;
};

/** What can be done with a destination, or why nothing can: found out before the gate. */
export type Prepared = Ready | Extract<PublishOutcome, { kind: 'blocked' | 'failed' }>;

/** Calls channels, and answers with a value whatever they do. */
export class ArticlePublishingService {
  readonly #collaborators: Collaborators;

  constructor(collaborators: Collaborators) {
    this.#collaborators = collaborators;
  }

  /** Finds the platform and opens the settings, so that nothing of ours can fail after the gate. */
  prepare(destination: Destination): Prepared {
    const channel = this.#collaborators.channels.get(destination.platform);
    if (!channel) return blocked(`platform "${destination.platform}" is not known to this version`);
    if (destination.needsAccount && !destination.hasActiveAccount) return withoutAccount(destination);

    const settings = this.#openSettings(channel, destination);
    return settings.success
      ? this.#ready(channel, settings.value)
      : blocked(`its settings cannot be read: ${settings.problem}`);
  }

  /**
   * How a destination can find out about a lost answer. One that cannot be prepared now is taken for one that
   * is asked later: whoever does will see.
   */
  reconciliationOf(destination: Destination): Reconciliation['kind'] {
    const prepared = this.prepare(destination);
    return prepared.kind === 'ready' ? prepared.reconciliation : 'look_up';
  }

  #openSettings(channel: Channel, destination: Destination) {
    try {
      const parsed = channel.settings.safeParse(this.#collaborators.openSettings(destination));
      if (parsed.success) return { success: true as const, value: parsed.data };
      const keys = parsed.error.issues.map(issue => issue.path.join('.')).join(', ');
      return { success: false as const, problem: `invalid ${keys}` };
    } catch (error) {
      return { success: false as const, problem: error instanceof Error ? error.message : 'unreadable' };
    }
  }

  #ready(channel: Channel, settings: unknown): Ready {
    const reconciliation = channel.reconciliation(settings);
    return {
      kind: 'ready',
      reconciliation: reconciliation.kind,
      findExisting: channel.findExisting
        ? (post, limits) =>
            this.#ask(limits, async context => channel.findExisting?.(post, settings, context))
        : null,
      send: (post, limits) => this.#send(channel, settings, post, limits),
      lookUp: (sought, limits) =>
        this.#ask(limits, async context =>
          reconciliation.kind === 'look_up' ? reconciliation.lookUp(sought, context) : undefined,
        ),
    };
  }

  // A channel that throws has a bug. Whether its request left is not known, so the outcome is not either.
  async #send(channel: Channel, settings: unknown, post: Post, limits: SendLimits): Promise<PublishOutcome> {
    const { sendingAt, signal } = limits;
    try {
      const send = this.#collaborators.createSend(limits);
      return await channel.publish(post, settings, { sendingAt, send, signal });
    } catch (error) {
      return { kind: 'unknown', code: 'unreadable_answer', detail: bugIn(error) };
    }
  }

  /** One question: no deadline of a publication binds it, only its signal. */
  async #ask(
    { clock, signal }: LookUpLimits,
    ask: (context: LookUpContext) => Promise<LookUpAnswer | undefined>,
  ): Promise<LookUpAnswer> {
    try {
      const send = this.#collaborators.createSend({ clock, sendBy: farOff, signal });
      const answer = await ask({ askedAt: clock.now(), send, signal });
      // A search that was cut off may look like one that found nothing.
      if (signal.aborted && answer?.kind !== 'found') return incomplete('the search was cut off');
      return answer ?? incomplete('this platform cannot be asked');
    } catch (error) {
      return incomplete(bugIn(error));
    }
  }
}

const farOff = new Date(8.64e15);

function incomplete(detail: string): LookUpAnswer {
  return { kind: 'incomplete', detail };
}

function bugIn(error: unknown): string {
  return `the channel failed with a ${error instanceof Error ? error.name : 'error'}`;
}

function blocked(detail: string): Prepared {
  return { kind: 'blocked', scope: 'channel', code: 'unavailable', detail, isGone: false };
}

function withoutAccount({ name }: Destination): Prepared {
  const detail = `channel ${name} has no active account`;
  return { kind: 'failed', code: 'no_account', detail, isFinal: false, blames: 'channel' };
}
