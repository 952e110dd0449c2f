import { afterEach } from 'vitest';
import { mastodon } from '../../../src/channels/mastodon.ts';
import { fakeMastodon, type MastodonFake, type MastodonFakeOptions } from '../../fakes/mastodon.ts';
import type { ReceivedRequest } from '../../support/fakeReceiver.ts';
import { type OpenFake, openProtocolFake } from '../../support/protocolFake.ts';
import { type ChannelUser, type OpenOptions, openChannel } from '../openChannel.ts';

export const token = 'a-token-that-nobody-may-see';

export type OpenMastodon = {
  fake: MastodonFake;
  open: OpenFake;
  user: ChannelUser;
  /** The account's keys, as in `config.yaml`. */
  account: { instance: string; username: string; token: string };
  /** The same instance, used with other settings or another session. */
  use(settings?: object, options?: OpenOptions): ChannelUser;
  /** The requests for what begins with this path, as `GET /api/…`. */
  asked(start: string): readonly ReceivedRequest[];
};

const opened: OpenFake[] = [];

afterEach(async () => {
  for (const open of opened.splice(0)) await open.close();
});

/** An instance of the family and the channel on it; closed after the test. */
export async function openMastodon({
  settings = {},
  picture,
  ...options
}: MastodonFakeOptions & { settings?: object; picture?: Buffer | null } = {}): Promise<OpenMastodon> {
  const fake = fakeMastodon({ token, ...options });
  const open = await openProtocolFake(fake);
  opened.push(open);
  const account = { instance: open.url, username: 'bot', token };
  const use = (settings: object = {}, options: OpenOptions = {}) =>
    openChannel({ channel: mastodon, secrets: [token] }, { settings, account }, options);
  return {
    fake,
    open,
    account,
    user: use(settings, picture === undefined ? {} : { picture }),
    use,
    asked: start =>
      open.receiver.requests.filter(({ method, path }) => `${method} ${path}`.startsWith(start)),
  };
}
