import type { BlueskyCredentials, BlueskySession } from '../../../src/channels/bluesky/account.ts';
import { blueskyAccount } from '../../../src/channels/bluesky/account.ts';
import { bluesky } from '../../../src/channels/bluesky.ts';
import { createSendRequest } from '../../../src/channels/sendRequest.ts';
import type { Clock } from '../../../src/clock.ts';
import { createAddressGuard } from '../../../src/network/addressGuard.ts';
import { type BlueskyFake, createBlueskyFake } from '../../fakes/bluesky.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { type OpenFake, openProtocolFake } from '../../support/protocolFake.ts';
import { type ChannelUser, openChannel } from '../openChannel.ts';

export type OpenBluesky = {
  fake: BlueskyFake;
  /** The port that the fake is on, with its fault plan. */
  server: OpenFake;
  clock: FakeClock;
  user(settings?: Record<string, unknown>, picture?: { picture?: Buffer | null }): ChannelUser;
  /** Opens a session at the clock's time, or refreshes the previous one. */
  openSession(
    previous: BlueskySession | null,
    password?: string,
  ): ReturnType<typeof blueskyAccount.openSession>;
};

/** A fake PDS whose clock moves, and the channel on it. */
export async function openBluesky(options: { didDoc?: unknown } = {}): Promise<OpenBluesky> {
  const clock = new FakeClock('2026-09-07T08:30:01.000Z');
  const fake = createBlueskyFake({ ...options, clock });
  const server = await openProtocolFake(fake);
  const account = { instance: server.url, username: fake.handle, appPassword: fake.appPassword };
  const harness = { channel: bluesky, secrets: [fake.appPassword] };

  return {
    fake,
    server,
    clock,
    user: (settings = {}, picture = {}) => openChannel(harness, { settings, account }, picture),
    openSession(previous, appPassword = fake.appPassword) {
      const credentials: BlueskyCredentials = { ...account, appPassword };
      const context = { openedAt: clock.now(), send: sendAt(clock), signal: new AbortController().signal };
      return blueskyAccount.openSession(credentials, previous, context);
    },
  };
}

function sendAt(clock: Clock) {
  return createSendRequest({
    guard: createAddressGuard(['127.0.0.1']),
    clock,
    sendBy: new Date('2100-01-01T00:00:00.000Z'),
    userAgent: 'Headway/test',
    signal: new AbortController().signal,
    limits: { sendConnectMs: 1_000, sendAnswerMs: 1_000 },
  });
}
