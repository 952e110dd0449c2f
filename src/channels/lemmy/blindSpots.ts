import type { SeenAccount, SeenCommunity } from './Dialect.ts';
import type { LemmySettings } from './types.ts';

const undetermined = 0;

/**
 * Why a search in a community may not show what is there, each with what to change: Lemmy leaves out of its
 * lists what the account's settings hide, without a word. `of`: whose posts are searched for.
 */
export function blindSpots(
  account: SeenAccount,
  community: SeenCommunity,
  { settings, of }: { settings: LemmySettings; of: 'own' | 'anybody' },
): string[] {
  const { shows, languageIds } = account;
  const languageId = settings.languageId ?? undetermined;
  const isBlocked = community.isBlocked || account.blockedInstanceIds.includes(community.instanceId);
  const spots: [boolean, string][] = [
    [!shows.bots, 'the account hides bots, itself among them: switch on "Show bot accounts" in its settings'],
    [
      !shows.nsfw && (community.isNsfw || settings.nsfw),
      'the account hides what is not safe for work: switch on "Show NSFW content" in its settings',
    ],
    [
      languageIds.length > 0 && !languageIds.includes(languageId),
      `the account hides posts in language ${languageId}: enable ${
        languageId === undetermined ? '"Undetermined" for it, or set languageId' : 'that language for it'
      }`,
    ],
    [account.hasBlockedWords, 'the account hides posts with certain words: empty its list of keywords'],
    [isBlocked, 'the account has blocked this community or its instance: lift that'],
    [community.isHidden, 'the instance keeps this community out of lists: only its admins can change that'],
    [community.isGone, 'the community is deleted or removed'],
    [
      of === 'own' && community.isBanned,
      'the account is banned from this community, and its posts may have been removed with it',
    ],
    [
      of === 'anybody' && !shows.readPosts,
      'the account hides what it has read, its own posts among it: switch on "Show read posts" in its settings',
    ],
  ];
  return spots.filter(([isBlind]) => isBlind).map(([, reason]) => reason);
}
