import { z } from 'zod';
import { type Dialect, pageSize, type SeenPage, type SeenPost } from './Dialect.ts';

const instant = z.iso.datetime({ offset: true }).transform(text => new Date(text));

const rawPost = z.object({
  id: z.number(),
  name: z.string(),
  url: z.string().nullish(),
  creator_id: z.number(),
  community_id: z.number(),
  published_at: instant,
  ap_id: z.string(),
});

function seenPost(post: z.infer<typeof rawPost>, listedAt = post.published_at): SeenPost {
  return {
    id: post.id,
    title: post.name,
    url: post.url ?? null,
    creatorId: post.creator_id,
    communityId: post.community_id,
    createdAt: post.published_at,
    listedAt,
    // Sorted by age, they are in no list before the others.
    isPinned: false,
    remoteUrl: post.ap_id,
  };
}

const listPage = z
  .object({ items: z.array(z.object({ post: rawPost })), next_page: z.string().nullish() })
  .transform(
    ({ items, next_page: next }): SeenPage => ({
      posts: items.map(({ post }) => seenPost(post)),
      next: next ?? null,
    }),
  );

const removedPage = z
  .object({
    items: z.array(z.object({ modlog: z.object({ published_at: instant }), target_post: rawPost.nullish() })),
    next_page: z.string().nullish(),
  })
  .transform(({ items, next_page: next }): SeenPage => {
    const posts = items.flatMap(({ modlog, target_post: post }) =>
      post ? [seenPost(post, modlog.published_at)] : [],
    );
    return { posts, next: next ?? null };
  });

const site = z
  .object({
    version: z.string(),
    site_view: z.object({
      local_site_rate_limit: z.object({ post_max_requests: z.number(), post_interval_seconds: z.number() }),
    }),
  })
  .transform(({ version, site_view: { local_site_rate_limit: limit } }) => ({
    version,
    posts: limit.post_max_requests,
    perSeconds: limit.post_interval_seconds,
  }));

const account = z
  .object({
    local_user_view: z.object({
      local_user: z.object({
        show_nsfw: z.boolean(),
        show_bot_accounts: z.boolean(),
        show_read_posts: z.boolean(),
      }),
      person: z.object({ id: z.number(), name: z.string() }),
      banned: z.boolean().default(false),
    }),
    instance_communities_blocks: z.array(z.object({ id: z.number() })).default([]),
    keyword_blocks: z.array(z.string()).default([]),
    discussion_languages: z.array(z.number()),
  })
  .transform(({ local_user_view: { local_user: settings, person, banned }, ...me }) => ({
    personId: person.id,
    name: person.name,
    isBanned: banned,
    // The other two are overruled by each question.
    shows: { bots: settings.show_bot_accounts, nsfw: true, readPosts: true },
    languageIds: me.discussion_languages,
    hasBlockedWords: me.keyword_blocks.length > 0,
    blockedInstanceIds: me.instance_communities_blocks.map(({ id }) => id),
    version: null,
  }));

const community = z
  .object({
    community_view: z.object({
      community: z.object({
        id: z.number(),
        name: z.string(),
        instance_id: z.number(),
        nsfw: z.boolean(),
        removed: z.boolean(),
        local_removed: z.boolean().default(false),
        deleted: z.boolean(),
        posting_restricted_to_mods: z.boolean(),
      }),
      community_actions: z
        .object({ blocked_at: z.string().nullish(), received_ban_at: z.string().nullish() })
        .nullish(),
    }),
    moderators: z.array(z.object({ moderator: z.object({ id: z.number() }) })),
  })
  .transform(({ community_view: { community: seen, community_actions: mine }, moderators }) => ({
    id: seen.id,
    name: seen.name,
    instanceId: seen.instance_id,
    isNsfw: seen.nsfw,
    isGone: seen.removed || seen.deleted || seen.local_removed,
    isHidden: false,
    isBlocked: typeof mine?.blocked_at === 'string',
    isBanned: typeof mine?.received_ban_at === 'string',
    isModsOnly: seen.posting_restricted_to_mods,
    moderatorIds: moderators.map(({ moderator }) => moderator.id),
  }));

// Everything that the account's own settings would leave out; and reading it leaves no trace.
const unfiltered = {
  type_: 'all',
  sort: 'new',
  limit: pageSize,
  time_range_seconds: 0,
  show_read: true,
  show_hidden: true,
  show_nsfw: true,
  hide_posts_with_media: false,
  mark_as_read: false,
};

/** Lemmy 1.0. */
export const v4: Dialect = {
  loginPath: '/api/v4/account/auth/login',
  createPath: '/api/v4/post',
  account: { path: '/api/v4/account', schema: account },
  community: name => ({ path: '/api/v4/community', query: { name }, schema: community }),
  site: { path: '/api/v4/site', schema: site },

  postsBy:
    ({ personId, communityId }) =>
    ({ cursor }) => ({
      path: '/api/v4/post/list',
      query: { creator_id: personId, community_id: communityId, ...unfiltered, page_cursor: cursor },
      schema: listPage,
    }),

  postsIn:
    communityId =>
    ({ cursor }) => ({
      path: '/api/v4/post/list',
      query: { community_id: communityId, ...unfiltered, page_cursor: cursor },
      schema: listPage,
    }),

  // Not /search: that answers 200 with nothing where its own query has failed.
  postsWith:
    (link, communityId) =>
    ({ cursor }) => ({
      path: '/api/v4/post/list',
      query: {
        community_id: communityId,
        search_term: link,
        search_url_only: true,
        ...unfiltered,
        page_cursor: cursor,
      },
      schema: listPage,
    }),

  removedPosts:
    ({ personId, communityId }) =>
    ({ cursor }) => ({
      path: '/api/v4/modlog',
      query: {
        type_: 'mod_remove_post',
        listing_type: 'all',
        show_bulk: true,
        other_person_id: personId,
        community_id: communityId,
        limit: pageSize,
        page_cursor: cursor,
      },
      schema: removedPage,
    }),
};
