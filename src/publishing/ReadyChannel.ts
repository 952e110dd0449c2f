import type {
  AccountAccess,
  ComposeAnswer,
  ComposedPost,
  Finding,
  LookUpAnswer,
  LookUpContext,
  NotComposed,
  Post,
  Preview,
  Reconciliation,
  Refusal,
  Sought,
} from '../channels/Channel.ts';
import type { PublishOutcome } from '../channels/PublishOutcome.ts';
import { isDatabaseAway } from '../database/transact.ts';
import {
  type CallLimits,
  type CallOptions,
  ChannelCalls,
  type Collaborators,
  type SendLimits,
} from './ChannelCalls.ts';

export type Composition = { kind: 'composed'; post: ComposedPost; notes: readonly string[] } | NotComposed;

// More than any platform takes.
const maxPictureBytes = 50_000_000;

/**
 * A destination that can be posted to and asked, for as long as one try takes: whatever the platform does, it
 * answers with a value. Only a database that is away throws.
 */
export class ReadyChannel {
  readonly kind = 'ready';
  /** How it can find out about a lost answer. */
  readonly reconciliation: Reconciliation['kind'];
  readonly #collaborators: Collaborators;
  readonly #options: CallOptions;
  readonly #calls: ChannelCalls;

  constructor(collaborators: Collaborators, options: CallOptions) {
    const { channel, settings } = options;
    this.#collaborators = collaborators;
    this.#options = options;
    this.#calls = new ChannelCalls(collaborators, options);
    this.reconciliation = channel.reconciliation(settings).kind;
  }

  /** Whether the platform can be asked what is there already. */
  get canFindExisting(): boolean {
    return this.#options.channel.findExisting !== undefined;
  }

  /** `notBefore`: what is older does not count; null: everything does. */
  findExisting(post: Post, limits: CallLimits & { notBefore: Date | null }): Promise<LookUpAnswer> {
    const { channel, settings } = this.#options;
    const { notBefore } = limits;
    return this.#ask(limits, context => channel.findExisting?.(post, settings, { ...context, notBefore }));
  }

  /** Searches for a post whose answer was lost; always incomplete where that cannot be done. */
  lookUp(sought: Sought, limits: CallLimits): Promise<LookUpAnswer> {
    const { channel, settings } = this.#options;
    const reconciliation = channel.reconciliation(settings);
    return this.#ask(limits, context =>
      reconciliation.kind === 'look_up' ? reconciliation.lookUp(sought, context) : undefined,
    );
  }

  /** Opens the session of its account, where it has one. Null: it is open. */
  async openSession(limits: CallLimits): Promise<NotComposed | null> {
    const opened = await this.#calls.open(limits);
    return opened && opened.kind !== 'opened' ? opened : null;
  }

  /** Makes of a post what is sent. */
  async compose(post: Post, limits: CallLimits): Promise<Composition> {
    const { channel, settings } = this.#options;
    const { signal, clock } = limits;
    const fetchImage = (url: string, { maxBytes }: { maxBytes: number }) =>
      this.#collaborators.fetchImage(url, { maxBytes, signal });
    try {
      const answer = await this.#calls.as(
        limits,
        async account => {
          if (!channel.compose) return { kind: 'composed' as const, composed: null, notes: [] };
          const context = { account, composedAt: clock.now(), fetchImage, ...this.#calls.outlet(limits) };
          return channel.compose(post, settings, context);
        },
        refusalOf,
      );
      if (answer.kind !== 'composed') return answer;
      const { composed, notes } = answer;
      return { kind: 'composed', post: { ...post, composed }, notes };
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      const failed = {
        kind: 'failed',
        code: 'unreadable_answer',
        isFinal: false,
        blames: 'channel',
      } as const;
      return { ...failed, detail: bugIn(error) };
    }
  }

  /**
   * Sends a post. A channel that throws has a bug: whether its request left is not known, so the outcome is
   * not either.
   */
  async send(post: ComposedPost, limits: SendLimits): Promise<PublishOutcome> {
    const { channel, settings } = this.#options;
    const { sendingAt } = limits;
    try {
      const context = { sendingAt, ...this.#calls.outlet(limits) };
      return await this.#calls.as(
        limits,
        account => channel.publish(post, settings, { account, ...context }),
        refusalOf,
      );
    } catch (error) {
      return { kind: 'unknown', code: 'unreadable_answer', detail: bugIn(error) };
    }
  }

  /** The exact post; where no session can be had, with the platform's own limits. */
  async preview(post: Post, limits: CallLimits): Promise<Preview> {
    const { channel, settings } = this.#options;
    const opened = await this.#calls.open(limits);
    const account = opened?.kind === 'opened' ? opened.account : null;
    const { imageUrl } = post;
    const { signal } = limits;
    const { fetchImage } = this.#collaborators;
    const picture =
      imageUrl === null ? null : await fetchImage(imageUrl, { maxBytes: maxPictureBytes, signal });
    if (picture?.kind !== 'unavailable') return channel.preview(post, settings, account);
    const { parts, notes } = channel.preview({ ...post, imageUrl: null }, settings, account);
    return { parts, notes: [...notes, `its picture cannot be had: ${picture.detail}`] };
  }

  /** What is right and wrong, found out without posting. Null: the platform cannot be asked. */
  async check(limits: CallLimits): Promise<readonly Finding[] | null> {
    const { channel, settings } = this.#options;
    const askedAt = limits.clock.now();
    const check = async (account: AccountAccess | null) => ({
      kind: 'checked' as const,
      findings:
        (await channel.check?.(settings, { account, askedAt, ...this.#calls.outlet(limits) })) ?? null,
    });
    // A session that was refused says nothing of the credentials.
    const answer = await this.#calls.as(limits, check, ({ findings }) => unauthorizedIn(findings ?? []));
    if (answer.kind === 'checked') return answer.findings;
    return [{ subject: 'credentials', isOk: false, detail: answer.detail }];
  }

  async #ask(
    limits: CallLimits,
    ask: (context: LookUpContext<AccountAccess | null>) => Promise<LookUpAnswer> | undefined,
  ): Promise<LookUpAnswer> {
    const { clock, signal } = limits;
    try {
      const answer = await this.#calls.as(
        limits,
        async account =>
          (await ask({ account, askedAt: clock.now(), ...this.#calls.outlet(limits) })) ??
          incomplete('this platform cannot be asked'),
        asked => (asked.kind === 'incomplete' ? (asked.refusal ?? null) : null),
      );
      // A search that was cut off may look like one that found nothing.
      if (signal.aborted && answer.kind !== 'found') return incomplete('the search was cut off');
      return isLookUpAnswer(answer) ? answer : withoutSession(answer);
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      return incomplete(bugIn(error));
    }
  }
}

function refusalOf(answer: PublishOutcome | ComposeAnswer<unknown>): Refusal | null {
  return answer.kind === 'blocked' || answer.kind === 'throttled' ? answer : null;
}

function unauthorizedIn(findings: readonly Finding[]): Refusal | null {
  const wrong = findings.find(({ subject, isOk }) => subject === 'credentials' && !isOk);
  const { detail } = wrong ?? {};
  if (detail === undefined) return null;
  return { kind: 'blocked', scope: 'account', code: 'unauthorized', detail, isGone: false };
}

function isLookUpAnswer(answer: LookUpAnswer | NotComposed): answer is LookUpAnswer {
  return answer.kind === 'found' || answer.kind === 'not_found' || answer.kind === 'incomplete';
}

function withoutSession(answer: NotComposed): LookUpAnswer {
  const { detail } = answer;
  const isRefusal = answer.kind === 'throttled' || answer.kind === 'blocked';
  return { kind: 'incomplete', detail, ...(isRefusal && { refusal: answer }) };
}

function incomplete(detail: string): LookUpAnswer {
  return { kind: 'incomplete', detail };
}

function bugIn(error: unknown): string {
  return `the channel failed with a ${error instanceof Error ? error.name : 'error'}`;
}
