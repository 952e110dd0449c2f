import type { LookUpAnswer, LookUpContext } from '../Channel.ts';
import { incomplete } from './askLemmy.ts';
import { blindSpots } from './blindSpots.ts';
import type { SeenAccount, SeenCommunity } from './Dialect.ts';
import { type LogIn, logIn, readAccount, readCommunity } from './logIn.ts';
import type { LemmyAccount, LemmySettings } from './types.ts';

/**
 * What a search needs before it begins: a valid token, and nothing that its lists would leave out. `behindMs`: how far
 * the instance's clock is behind ours.
 */
export async function readyToSearch(
  account: LemmyAccount,
  settings: LemmySettings,
  { askedAt: at, send, of }: Pick<LookUpContext, 'askedAt' | 'send'> & { of: 'own' | 'anybody' },
): Promise<
  | { kind: 'ready'; session: LogIn; me: SeenAccount; community: SeenCommunity; behindMs: number }
  | { kind: 'not_ready'; answer: LookUpAnswer }
> {
  const session = logIn(account, { at, send });
  const me = await readAccount(session);
  if (me.kind === 'not_said') return { kind: 'not_ready', answer: incomplete(me) };
  const community = await readCommunity(session, settings.target);
  if (community.kind === 'not_said') return { kind: 'not_ready', answer: incomplete(community) };
  const spots = blindSpots(me.said, community.said, { settings, of });
  if (spots.length > 0) {
    return { kind: 'not_ready', answer: { kind: 'incomplete', detail: spots.join('; ') } };
  }
  const { behindMs } = me;
  return { kind: 'ready', session, me: me.said, community: community.said, behindMs };
}
