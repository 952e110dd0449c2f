import type { Finding, LookUpContext } from '../Channel.ts';
import { askLemmy } from './askLemmy.ts';
import { blindSpots } from './blindSpots.ts';
import type { SeenAccount, SeenCommunity } from './Dialect.ts';
import { limits } from './draftPost.ts';
import { type LogIn, logIn, readAccount, readCommunity } from './logIn.ts';
import type { LemmyAccount, LemmySettings } from './types.ts';

/** Looks at an account and a community without posting: may it post there, and would it see what is there? */
export async function checkLemmy(
  settings: LemmySettings,
  { account, askedAt: at, send }: LookUpContext<LemmyAccount>,
): Promise<readonly Finding[]> {
  const session = logIn(account, { at, send });
  const me = await readAccount(session);
  if (me.kind === 'not_said') return [{ subject: 'credentials', isOk: false, detail: me.why.detail }];
  const loggedIn: Finding = { subject: 'credentials', isOk: true, detail: `logged in as ${me.said.name}` };

  const community = await readCommunity(session, settings.target);
  if (community.kind === 'not_said') {
    const detail = `${settings.target}: ${community.why.detail}`;
    return [loggedIn, { subject: 'rights', isOk: false, detail }, ...(await limitsOf(session))];
  }
  return [
    loggedIn,
    rightsIn(community.said, me.said),
    ...visibility(settings, me.said, community.said),
    ...(await limitsOf(session)),
  ];
}

function rightsIn(community: SeenCommunity, { personId }: SeenAccount): Finding {
  const { name, isGone, isBanned, isModsOnly, moderatorIds } = community;
  const refused = (detail: string): Finding => ({ subject: 'rights', isOk: false, detail });
  if (isGone) return refused(`the community ${name} is deleted or removed`);
  if (isBanned) return refused(`the account is banned from ${name}`);
  if (isModsOnly && !moderatorIds.includes(personId)) return refused(`only moderators can post in ${name}`);
  return { subject: 'rights', isOk: true, detail: `may post in ${name}` };
}

function visibility(settings: LemmySettings, me: SeenAccount, community: SeenCommunity): readonly Finding[] {
  const of = settings.duplicates === 'off' ? 'own' : 'anybody';
  const spots = [
    ...new Set([
      ...blindSpots(me, community, { settings, of: 'own' }),
      ...blindSpots(me, community, { settings, of }),
    ]),
  ];
  const hidden = spots.map((detail): Finding => ({ subject: 'visibility', isOk: false, detail }));
  return [...hidden, ...notes(me, spots.length === 0)];
}

/** What stops nothing, but is good to know. */
function notes({ shows, languageIds }: SeenAccount, isClear: boolean): readonly Finding[] {
  const seen = (detail: string): Finding => ({ subject: 'visibility', isOk: true, detail });
  return [
    ...(isClear ? [seen('it sees what is posted there, itself included')] : []),
    ...(shows.nsfw ? [] : [seen('posts of others that are not safe for work are not seen as duplicates')]),
    ...(languageIds.length === 0
      ? []
      : [seen('posts of others in languages that the account has not enabled are not seen as duplicates')]),
  ];
}

async function limitsOf({ asker, dialect }: LogIn): Promise<readonly Finding[]> {
  const ours = `titles of ${limits.title} characters, bodies of ${limits.body}`;
  const site = await askLemmy(asker, dialect.site);
  if (site.kind === 'not_said') return [{ subject: 'limits', isOk: true, detail: ours }];
  const { version, posts, perSeconds } = site.said;
  const detail = `Lemmy ${version}: ${posts} posts in ${perSeconds} s, ${ours}`;
  return [{ subject: 'limits', isOk: true, detail }];
}
