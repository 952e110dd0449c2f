import type { Channel, Post } from '../channels/Channel.ts';
import type { PublishOutcome } from '../channels/PublishOutcome.ts';
import type { SendRequest } from '../channels/sendRequest.ts';
import type { Clock } from '../clock.ts';
import type { Destination } from '../models/channels.ts';

export type SendLimits = { clock: Clock; sendingAt: Date; sendBy: Date; signal: AbortSignal };

export type Collaborators = {
  channels: ReadonlyMap<string, Channel>;
  /** Merges a channel's settings with its opened secrets. Throws when they cannot be opened. */
  openSettings: (destination: Destination) => unknown;
  /** A request helper that keeps to one publication's deadlines. */
  createSend: (limits: Omit<SendLimits, 'sendingAt'>) => SendRequest;
};

/** A destination that can be posted to, or why it cannot: found out before the gate. */
export type Prepared =
  | { kind: 'ready'; send: (post: Post, limits: SendLimits) => Promise<PublishOutcome> }
  | Extract<PublishOutcome, { kind: 'blocked' | 'failed' }>;

/** Calls channels, and answers with a `PublishOutcome` whatever they do. */
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
    if (!settings.success) return blocked(`its settings cannot be read: ${settings.problem}`);
    return { kind: 'ready', send: (post, limits) => this.#send(channel, settings.value, post, limits) };
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

  // A channel that throws has a bug. Whether its request left is not known, so the outcome is not either.
  async #send(channel: Channel, settings: unknown, post: Post, limits: SendLimits): Promise<PublishOutcome> {
    const { sendingAt, signal } = limits;
    try {
      const send = this.#collaborators.createSend(limits);
      return await channel.publish(post, settings, { sendingAt, send, signal });
    } catch (error) {
      const name = error instanceof Error ? error.name : 'error';
      return { kind: 'unknown', code: 'unreadable_answer', detail: `the channel failed with a ${name}` };
    }
  }
}

function blocked(detail: string): Prepared {
  return { kind: 'blocked', scope: 'channel', code: 'unavailable', detail, isGone: false };
}

function withoutAccount({ name }: Destination): Prepared {
  const detail = `channel ${name} has no active account`;
  return { kind: 'failed', code: 'no_account', detail, isFinal: false, blames: 'channel' };
}
