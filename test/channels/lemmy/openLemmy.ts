import { lemmy } from '../../../src/channels/lemmy.ts';
import { createLemmyFake, type LemmyFake } from '../../fakes/lemmy.ts';
import { type OpenFake, openProtocolFake } from '../../support/protocolFake.ts';
import { type ChannelUser, type OpenOptions, openChannel } from '../openChannel.ts';

export type OpenLemmy = {
  fake: LemmyFake;
  open: OpenFake;
  user: ChannelUser;
  /** The paths that were asked for, without their queries, in order. */
  asked(): string[];
  /** Another channel of the same account, with a session of its own. */
  as(settings: object, options?: OpenOptions): ChannelUser;
};

export const versions = ['0.19', '1.0'] as const;

const password = 'a password of lemmy';

/** An instance with a channel that posts to its community `news`. Closed by `open.close()`. */
export async function openLemmy(version: '0.19' | '1.0', settings: object = {}): Promise<OpenLemmy> {
  const fake = createLemmyFake({ version });
  const open = await openProtocolFake(fake);
  const account = { instance: open.url, username: 'headway', password };
  const as = (more: object, options: OpenOptions = {}) =>
    openChannel(
      { channel: lemmy, secrets: [password, 'jwt-of-headway'] },
      { settings: { target: 'news', ...more }, account },
      options,
    );
  const asked = () => open.receiver.requests.map(({ path }) => path.split('?')[0] ?? '');
  return { fake, open, user: as(settings), asked, as };
}
