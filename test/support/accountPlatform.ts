import { z } from 'zod';
import type { AccountKind, SessionAnswer } from '../../src/channels/AccountKind.ts';
import { describeAnswer } from '../../src/channels/answerOutcome.ts';
import type {
  AccountAccess,
  Channel,
  ComposeAnswer,
  ComposeContext,
  ComposedPost,
  Finding,
  LookUpAnswer,
  NotComposed,
  Post,
  Reconciliation,
  Refusal,
} from '../../src/channels/Channel.ts';
import type { PublishOutcome } from '../../src/channels/PublishOutcome.ts';
import type { SendRequest } from '../../src/channels/sendRequest.ts';
import type { Clock } from '../../src/clock.ts';
import { plainPlatform } from './outlet.ts';

export type FakeSession = { access: string; refresh: string };
type Access = AccountAccess<Credentials, FakeSession>;

const credentials = z.strictObject({
  instance: z.string().default(''),
  username: z.string().optional(),
  password: z.string(),
});
const session = z.object({ access: z.string(), refresh: z.string() });

type Credentials = z.infer<typeof credentials>;

/** What the remote side says where it refuses a session that may be renewed. */
export const unauthorized = {
  kind: 'blocked',
  scope: 'account',
  code: 'unauthorized',
  detail: 'HTTP 401: the token is invalid',
  isGone: false,
} satisfies Refusal;

/** What it says where it refuses the credentials themselves. */
export const wrongPassword = {
  ...unauthorized,
  detail: 'HTTP 400: wrong password',
  isGone: true,
} satisfies Refusal;

/**
 * A remote side with log-ins, of access tokens that end and refresh tokens that last, which counts what it is
 * asked. Every call is refused without a token that is good.
 */
export class AccountPlatform {
  password = 'hunter2-password';
  /** Null: an access token lasts until it is revoked. */
  tokenLastsMs: number | null = 2 * 3_600_000;
  logIns = 0;
  refreshes = 0;
  readonly posts: ComposedPost[] = [];
  /** Everything that was refused for its token, by what was asked. */
  readonly unauthorized: string[] = [];
  reconciliation: Reconciliation['kind'] = 'look_up';
  /** Happens while a session is opened. An answer is given instead of the platform's own. */
  opening: (signal: AbortSignal) => Promise<SessionAnswer<FakeSession> | undefined> = async () => undefined;
  publish: (post: ComposedPost, send: SendRequest) => Promise<PublishOutcome> | PublishOutcome = () => ({
    kind: 'succeeded',
    remoteId: null,
    remoteUrl: null,
  });
  compose: (
    post: Post,
    context: ComposeContext,
  ) => Promise<ComposeAnswer<unknown> | NotComposed> | ComposeAnswer<unknown> | NotComposed = ({
    title,
  }) => ({
    kind: 'composed',
    composed: { body: `composed: ${title}` },
    notes: [],
  });
  /** Null: it cannot be asked. */
  findExisting:
    | ((
        post: Post,
        context: { notBefore: Date | null; signal: AbortSignal },
      ) => LookUpAnswer | Promise<LookUpAnswer>)
    | null = null;
  lookUp: (post: ComposedPost) => LookUpAnswer = () => ({ kind: 'not_found' });
  readonly #clock: Clock;
  readonly #access = new Map<string, Date | null>();
  readonly #refresh = new Set<string>();
  #issued = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Lets every opening of a session wait, until what it returns is called. */
  holdOpening(): () => void {
    let release = () => {};
    const held = new Promise<undefined>(resolve => {
      release = () => resolve(undefined);
    });
    this.opening = () => held;
    return () => {
      this.opening = async () => undefined;
      release();
    };
  }

  /** Refuses every access token that was given out so far. */
  revokeAccess(): void {
    this.#access.clear();
  }

  /** Refuses every token that was given out so far. */
  revokeAll(): void {
    this.#access.clear();
    this.#refresh.clear();
  }

  /** Gives out tokens as a log-in does. */
  issue(): FakeSession {
    this.#issued += 1;
    const issued = { access: `hunter2-access-${this.#issued}`, refresh: `hunter2-refresh-${this.#issued}` };
    this.#access.set(issued.access, this.#expiresAt());
    this.#refresh.add(issued.refresh);
    return issued;
  }

  isGood({ access }: FakeSession): boolean {
    const expiresAt = this.#access.get(access);
    return expiresAt !== undefined && (expiresAt === null || expiresAt > this.#clock.now());
  }

  channel(): Channel<Record<string, unknown>, unknown, Access> {
    return {
      ...plainPlatform,
      platform: 'fake',
      needsAccount: true,
      account: this.#kind(),
      secretKeys: ['token'],
      settings: z.record(z.string(), z.unknown()),
      reconciliation: () => this.#reconciliation(),
      check: async (_settings, { account }) => [this.#check(account)],
      ...(this.findExisting && {
        findExisting: async (post: Post, _settings: unknown, { account, notBefore, signal }) => {
          if (this.#isRefused('findExisting', account)) return refusedSearch();
          return this.findExisting?.(post, { notBefore, signal }) ?? { kind: 'not_found' };
        },
      }),
      compose: async (post, _settings, context) =>
        this.#isRefused('compose', context.account) ? unauthorized : this.compose(post, context),
      publish: async (post, _settings, { account, send }) => {
        if (this.#isRefused('publish', account)) return unauthorized;
        const outcome = await this.publish(post, send);
        if (outcome.kind === 'succeeded' || outcome.kind === 'unknown') this.posts.push(post);
        return outcome;
      },
    };
  }

  #kind(): AccountKind<Credentials, FakeSession> {
    return {
      credentials,
      secretKeys: ['password'],
      session,
      openSession: async (given, previous, { signal }) => {
        const isRefresh = previous !== null && this.#refresh.has(previous.refresh);
        if (isRefresh) this.refreshes += 1;
        else this.logIns += 1;
        // Asked before it answers, as a request is.
        const isRight = isRefresh || given.password === this.password;
        const answer = await this.opening(signal);
        if (answer) return answer;
        if (!isRight) return wrongPassword;
        return { kind: 'opened', session: this.issue(), expiresAt: this.#expiresAt() };
      },
    };
  }

  #reconciliation(): Reconciliation<unknown, Access> {
    if (this.reconciliation !== 'look_up') return { kind: this.reconciliation };
    return {
      kind: 'look_up',
      lookUp: async ({ post }, { account }) =>
        this.#isRefused('lookUp', account) ? refusedSearch() : this.lookUp(post),
    };
  }

  #check(account: Access): Finding {
    return this.#isRefused('check', account)
      ? { subject: 'credentials', isOk: false, detail: unauthorized.detail }
      : { subject: 'credentials', isOk: true, detail: `posts as ${account.credentials.username}` };
  }

  #isRefused(what: string, { session: used }: Access): boolean {
    if (this.isGood(used)) return false;
    this.unauthorized.push(what);
    return true;
  }

  #expiresAt(): Date | null {
    return this.tokenLastsMs === null ? null : new Date(this.#clock.now().getTime() + this.tokenLastsMs);
  }
}

function refusedSearch(): LookUpAnswer {
  return { kind: 'incomplete', detail: unauthorized.detail, refusal: unauthorized };
}

/** Asks a server that repeats whatever it is told, and words its answer as platforms do. */
export async function askEcho(send: SendRequest, { access }: FakeSession, body: string): Promise<string> {
  const headers = { authorization: `Bearer ${access}`, 'content-type': 'text/plain' };
  const result = await send({ method: 'POST', url: 'https://there.example/', headers, body });
  return result.phase === 'answered' ? describeAnswer(result) : result.detail;
}
