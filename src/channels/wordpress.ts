import { z } from 'zod';
import { type Answer, outcomeWithoutAnswer } from './answerOutcome.ts';
import type { Channel } from './Channel.ts';
import { parseJson } from './json.ts';
import type { PublishOutcome } from './PublishOutcome.ts';
import { content, duplicates, image, lookBackMs } from './settingsParts.ts';
import { refusalOf } from './wordpress/answers.ts';
import { askAs, type WordPressAccess } from './wordpress/api.ts';
import { checkSite } from './wordpress/checkSite.ts';
import { uploadFeaturedImage } from './wordpress/featuredImage.ts';
import { findPostAbout } from './wordpress/findExisting.ts';
import { lookUpPost } from './wordpress/lookUp.ts';
import { type PostBody, postBodyOf } from './wordpress/postBody.ts';
import { wordpressAccount } from './wordpress/session.ts';
import { resolveCategories, resolveTags } from './wordpress/terms.ts';

const settings = z.strictObject({
  status: z.enum(['publish', 'draft', 'pending'], 'must be publish, draft or pending').default('publish'),
  categories: z
    .array(
      z.union(
        [z.string().trim().min(1), z.number().int().positive('must be a name or an id')],
        'must be a name or an id',
      ),
      'must be a list of names or ids',
    )
    .default([]),
  tags: z.boolean('must be true or false').default(true),
  image,
  content,
  duplicates: duplicates('30d'),
});

export type WordPressSettings = z.infer<typeof settings>;

/** What the REST API takes for a post, all names resolved. */
export type ComposedWordPress = PostBody & {
  status: WordPressSettings['status'];
  categories: number[];
  tags: number[];
  featured_media: number;
};

/**
 * WordPress's REST API, with an application password. Nothing stops it from making the same post twice (a slug
 * that is taken becomes `slug-2`), so a lost answer is searched for by the slug, which holds the post's key.
 * A site is one destination: its REST API has no place below it.
 */
export const wordpress: Channel<WordPressSettings, ComposedWordPress, WordPressAccess> = {
  platform: 'wordpress',
  needsAccount: true,
  account: wordpressAccount,
  settings,
  secretKeys: [],

  destination: (_settings, account) => ({ instance: account?.instance ?? '', target: 'posts' }),

  reconciliation: () => ({
    kind: 'look_up',
    lookUp: (sought, { account, send }) =>
      lookUpPost(sought, { ask: askAs(account, send), session: account.session }),
  }),

  preview(post, { content, tags, image }) {
    const { title, content: html, excerpt } = postBodyOf(post, content);
    const parts = [
      { name: 'title', text: title, count: null },
      { name: 'content', text: html, count: null },
      { name: 'excerpt', text: excerpt, count: null },
    ];
    const notes = [
      ...(tags && post.tags.length > 0
        ? [`tags: ${post.tags.join(', ')}, as far as the site takes them`]
        : []),
      ...(image !== 'off' && post.imageUrl !== null ? ['with its picture as the featured image'] : []),
    ];
    return { parts: parts.filter(({ text }) => text !== ''), notes };
  },

  check: (settings, { account, send }) => checkSite(settings, account, askAs(account, send)),

  async findExisting(post, { duplicates }, { account, askedAt, notBefore, send }) {
    const backMs = lookBackMs(duplicates);
    if (backMs === null) return { kind: 'not_found' };
    const since = new Date(Math.max(askedAt.getTime() - backMs, notBefore?.getTime() ?? 0));
    return findPostAbout(post, { since, site: account.credentials.instance, ask: askAs(account, send) });
  },

  async compose(post, settings, { account, send, fetchImage }) {
    const ask = askAs(account, send);
    const body = postBodyOf(post, settings.content);
    const categories = await resolveCategories(settings.categories, ask);
    if (categories.kind !== 'resolved') return categories;
    const tags = await resolveTags(settings.tags ? post.tags : [], ask);
    if (tags.kind !== 'resolved') return tags;
    const slug = `${body.slug}-image`;
    const picture = await uploadFeaturedImage(post, { choice: settings.image, slug, ask, fetchImage });
    if (picture.kind !== 'image') return picture;
    const ids = { categories: categories.ids, tags: tags.ids, featured_media: picture.id ?? 0 };
    const composed = { ...body, status: settings.status, ...ids };
    return { kind: 'composed', composed, notes: [...tags.notes, ...picture.notes] };
  },

  async publish({ composed }, _settings, { account, send }) {
    const { categories, ...rest } = composed;
    // An empty list would take away the site's default category.
    const json = categories.length === 0 ? rest : composed;
    const query = { _fields: 'id,link' };
    const result = await askAs(account, send)({ method: 'POST', path: '/wp/v2/posts', query, json });
    return result.phase === 'answered' ? outcomeOf(result) : outcomeWithoutAnswer(result);
  },
};

const created = z.object({ id: z.number().int().positive(), link: z.string() });

function outcomeOf(answer: Answer): PublishOutcome {
  const post = answer.status < 300 ? created.safeParse(parseJson(answer.body)).data : undefined;
  if (post === undefined) return refusalOf(answer);
  return { kind: 'succeeded', remoteId: String(post.id), remoteUrl: post.link };
}
