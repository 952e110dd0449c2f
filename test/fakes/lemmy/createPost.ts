import { type CreateForm, cleaned, type FakePerson, type FakePost, type LemmyWorld } from './world.ts';

export type Created = { post: FakePost } | { error: string };

/** What the words of a refusal are in each API. */
export type Words = { banned: string; modsOnly: string; noCommunity: string };

/** Stores a post, or refuses it in the order in which Lemmy looks. There is no uniqueness. */
export function createPost(
  world: LemmyWorld,
  viewer: FakePerson,
  { form, words }: { form: CreateForm; words: Words },
): Created {
  const fault = faultIn(form);
  if (fault !== null) return { error: fault };
  const place = world.communities.find(({ id }) => id === form.community_id);
  if (viewer.isBanned) return { error: 'site_ban' };
  if (!place) return { error: words.noCommunity };
  if (place.isDeleted || place.isRemoved) return { error: 'deleted' };
  if (place.bannedIds.includes(viewer.id)) return { error: words.banned };
  if (place.isModsOnly && !place.moderatorIds.includes(viewer.id)) return { error: words.modsOnly };
  const post = world.add({
    name: (form.name ?? '').trim(),
    url: form.url === undefined ? null : cleaned(form.url),
    body: form.body ?? null,
    altText: form.alt_text ?? null,
    thumbnail: form.custom_thumbnail ?? null,
    creatorId: viewer.id,
    communityId: place.id,
    isNsfw: place.isNsfw || form.nsfw === true,
    languageId: form.language_id ?? 0,
    readBy: new Set([viewer.id]),
  });
  return { post };
}

function faultIn({ name = '', url, body, alt_text: altText, custom_thumbnail: thumbnail }: CreateForm) {
  if (/forbidden word/.test(name)) return 'slurs';
  if ([url, thumbnail].some(each => each !== undefined && !URL.canParse(each))) return 'invalid_url';
  const length = [...name.trim()].length;
  if (length < 3 || length > 200 || name.includes('\n')) return 'invalid_post_title';
  if (url?.includes('blocked.test')) return 'blocked_url';
  for (const each of [url, thumbnail]) {
    if (each === undefined) continue;
    if (!/^(https?|magnet):/.test(each)) return 'invalid_url_scheme';
    if (cleaned(each).length > 2_000) return 'url_length_overflow';
  }
  if ((altText ?? '').length > 1_500) return 'alt_text_length_overflow';
  return (body ?? '').length > 50_000 ? 'invalid_body_field' : null;
}
