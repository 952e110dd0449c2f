import { z } from 'zod';
import { cutText } from '../text/cutText.ts';
import { type Answer, outcomeWithoutAnswer } from './answerOutcome.ts';
import type { Channel, Finding, LookUpContext } from './Channel.ts';
import { refusalBeforePost, refusalOf } from './ghost/answers.ts';
import { createAsk, type GhostAccess } from './ghost/api.ts';
import { uploadFeatureImage } from './ghost/featureImage.ts';
import { findPostAbout, lookUpPost } from './ghost/findPosts.ts';
import { characters, limits, type PostBody, postBodyOf } from './ghost/postBody.ts';
import { ghostAccount } from './ghost/session.ts';
import { parseJson } from './json.ts';
import type { PublishOutcome } from './PublishOutcome.ts';
import { content, duplicates, image, lookBackMs } from './settingsParts.ts';

const tagName = z
  .string()
  .trim()
  .min(1)
  .max(limits.tag)
  .regex(/^[^,]+$/, 'must not hold a comma');

const settings = z.strictObject({
  status: z.enum(['published', 'draft'], 'must be published or draft').default('published'),
  tags: z.union([z.boolean(), z.array(tagName)], 'must be true, false or a list of names').default(true),
  canonical: z.boolean('must be true or false').default(true),
  image,
  content,
  duplicates: duplicates('30d'),
});

export type GhostSettings = z.infer<typeof settings>;

/** What the Admin API takes for a post. */
export type ComposedGhost = PostBody & {
  status: GhostSettings['status'];
  feature_image: string | null;
  feature_image_alt: string | null;
};

/**
 * Ghost's Admin API, with the key of an integration. Nothing stops it from making the same post twice (a slug
 * that is taken becomes `slug-2`, ids that are sent are ignored), so a lost answer is searched for. A site is one
 * destination: its API has no place below it.
 */
export const ghost: Channel<GhostSettings, ComposedGhost, GhostAccess> = {
  platform: 'ghost',
  needsAccount: true,
  account: ghostAccount,
  settings,
  secretKeys: [],

  destination: (_settings, account) => ({ instance: account?.instance ?? '', target: 'posts' }),

  reconciliation: () => ({
    kind: 'look_up',
    lookUp: (sought, { account, askedAt, send }) =>
      lookUpPost(sought, { ask: createAsk(account.credentials, askedAt, send), session: account.session }),
  }),

  preview(post, settings) {
    const { body, notes } = postBodyOf(post, settings);
    const { title, html, custom_excerpt: excerpt, canonical_url: canonicalUrl } = body;
    const counted = (text: string, limit: number) => ({
      length: characters(text),
      limit,
      unit: 'characters',
    });
    const parts = [
      { name: 'title', text: title, count: counted(title, limits.title) },
      { name: 'html', text: html, count: null },
      { name: 'excerpt', text: excerpt ?? '', count: counted(excerpt ?? '', limits.excerpt) },
      { name: 'canonical URL', text: canonicalUrl ?? '', count: null },
      { name: 'tags', text: body.tags.join(', '), count: null },
    ];
    return { parts: parts.filter(({ text }) => text !== ''), notes };
  },

  check: (settings, context) => checkSite(settings, context),

  async findExisting(post, { duplicates }, { account, askedAt, notBefore, send }) {
    const backMs = lookBackMs(duplicates);
    if (backMs === null) return { kind: 'not_found' };
    const since = new Date(Math.max(askedAt.getTime() - backMs, notBefore?.getTime() ?? 0));
    const ask = createAsk(account.credentials, askedAt, send);
    return findPostAbout(post, { since, ask, session: account.session });
  },

  async compose(post, settings, { account, composedAt, send, fetchImage }) {
    const { body, notes } = postBodyOf(post, settings);
    const ask = createAsk(account.credentials, composedAt, send);
    const picture = await uploadFeatureImage(post, {
      choice: settings.image,
      fileName: body.slug,
      ask,
      fetchImage,
    });
    if (picture.kind !== 'image') return picture;
    const alt = picture.url === null ? null : post.imageAlt;
    const composed = {
      ...body,
      status: settings.status,
      feature_image: picture.url,
      feature_image_alt: alt && cutText(alt, { max: limits.alt, measure: characters }).text,
    };
    return { kind: 'composed', composed, notes: [...notes, ...picture.notes] };
  },

  async publish({ composed }, _settings, { account, sendingAt, send }) {
    const ask = createAsk(account.credentials, sendingAt, send);
    const query = { source: 'html' };
    const result = await ask({ method: 'POST', path: '/posts/', query, json: { posts: [composed] } });
    return result.phase === 'answered' ? outcomeOf(result) : outcomeWithoutAnswer(result);
  },
};

async function checkSite(
  { status }: GhostSettings,
  { account, askedAt, send }: LookUpContext<GhostAccess>,
): Promise<Finding[]> {
  const ask = createAsk(account.credentials, askedAt, send);
  const result = await ask({ method: 'GET', path: '/posts/', query: { limit: '1', fields: 'id' } });
  if (result.phase !== 'answered' || result.status !== 200)
    return [{ subject: 'credentials', isOk: false, detail: refusalBeforePost(result).detail }];
  const { title, version, url } = account.session;
  return [
    { subject: 'credentials', isOk: true, detail: `the key is good for ${title} (Ghost ${version}, ${url})` },
    { subject: 'rights', isOk: true, detail: `may read posts; they go out with status ${status}` },
  ];
}

const created = z.object({ posts: z.tuple([z.object({ id: z.string().min(1), url: z.string() })]) });

function outcomeOf(answer: Answer): PublishOutcome {
  const said = answer.status < 300 ? created.safeParse(parseJson(answer.body)).data : undefined;
  if (said === undefined) return refusalOf(answer);
  const [{ id, url }] = said.posts;
  return { kind: 'succeeded', remoteId: id, remoteUrl: url };
}
