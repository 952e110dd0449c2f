import type { Channel, Reconciliation } from '../channels/Channel.ts';
import type { PublishOutcome } from '../channels/PublishOutcome.ts';
import type { Destination } from '../models/channels.ts';
import type { Collaborators } from './ChannelCalls.ts';
import { ReadyChannel } from './ReadyChannel.ts';

export type ServiceOptions = Collaborators & {
  channels: ReadonlyMap<string, Channel>;
  /** Merges a channel's settings with its opened secrets. Throws when they cannot be opened. */
  openSettings: (destination: Destination) => unknown;
};

/** What can be done with a destination, or why nothing can: found out before the gate. */
export type Prepared = ReadyChannel | NotReady;
export type NotReady = Extract<PublishOutcome, { kind: 'blocked' | 'failed' }>;

/** Calls channels, and answers with a value whatever they do. */
export class ArticlePublishingService {
  readonly #options: ServiceOptions;

  constructor(options: ServiceOptions) {
    this.#options = options;
  }

  /** Finds the platform and opens the settings, so that nothing of ours can fail after the gate. */
  prepare(destination: Destination): Prepared {
    const { accountId, accountStatus, needsAccount, platform } = destination;
    const channel = this.#options.channels.get(platform);
    if (!channel) return blocked(`platform "${platform}" is not known to this version`);
    if (needsAccount && accountStatus === 'needs_attention') return needsAttention;
    if (needsAccount && accountStatus !== 'active') return withoutAccount(destination);

    const settings = this.#openSettings(channel, destination);
    return settings.success
      ? new ReadyChannel(this.#options, { channel, settings: settings.value, accountId })
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
      const parsed = channel.settings.safeParse(this.#options.openSettings(destination));
      if (parsed.success) return { success: true as const, value: parsed.data };
      const keys = parsed.error.issues.map(issue => issue.path.join('.')).join(', ');
      return { success: false as const, problem: `invalid ${keys}` };
    } catch (error) {
      return { success: false as const, problem: error instanceof Error ? error.message : 'unreadable' };
    }
  }
}

function blocked(detail: string): Prepared {
  return { kind: 'blocked', scope: 'channel', code: 'unavailable', detail, isGone: false };
}

// Somebody has found that out since this channel was chosen.
const needsAttention: Prepared = {
  kind: 'blocked',
  scope: 'account',
  code: 'unauthorized',
  detail: 'its account needs attention',
  isGone: true,
};

function withoutAccount({ name }: Destination): Prepared {
  const detail = `channel ${name} has no active account`;
  return { kind: 'failed', code: 'no_account', detail, isFinal: false, blames: 'channel' };
}
