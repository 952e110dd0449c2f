import { z } from 'zod';
import { type Dialect, type PageMark, pageSize, type SeenPage, type SeenPost } from './Dialect.ts';

const instant = z.iso.datetime({ offset: true }).transform(text => new Date(text));

const rawPost = z.object({
  id: z.number(),
  name: z.string(),
  url: z.string().nullish(),
  creator_id: z.number(),
  community_id: z.number(),
  published: instant,
  featured_community: z.boolean().default(false),
  ap_id: z.string(),
});

function seenPost(post: z.infer<typeof rawPost>, listedAt = post.published): SeenPost {
  return {
    id: post.id,
    title: post.name,
    url: post.url ?? null,
    creatorId: post.creator_id,
    communityId: post.community_id,
    createdAt: post.published,
    listedAt,
    isPinned: post.featured_community,
    remoteUrl: post.ap_id,
  };
}

const listPage = z
  .object({ posts: z.array(z.object({ post: rawPost })), next_page: z.string().nullish() })
  .transform(
    ({ posts, next_page: next }): SeenPage => ({
      posts: posts.map(({ post }) => seenPost(post)),
      next: next ?? undefined,
    }),
  );

const removedPage = z
  .object({
    removed_posts: z.array(z.object({ mod_remove_post: z.object({ when_: instant }), post: rawPost })),
  })
  .transform(({ removed_posts: removed }): SeenPage => {
    const posts = removed.map(({ mod_remove_post: removal, post }) => seenPost(post, removal.when_));
    return { posts: posts.map(post => ({ ...post, isPinned: false })), next: undefined };
  });

const site = z.object({
  version: z.string(),
  site_view: z.object({ local_site_rate_limit: z.object({ post: z.number(), post_per_second: z.number() }) }),
});

const account = z
  .object({
    version: z.string(),
    my_user: z
      .object({
        local_user_view: z.object({
          local_user: z.object({
            show_nsfw: z.boolean(),
            show_bot_accounts: z.boolean(),
            show_read_posts: z.boolean(),
          }),
          person: z.object({ id: z.number(), name: z.string(), banned: z.boolean().default(false) }),
        }),
        instance_blocks: z.array(z.object({ instance: z.object({ id: z.number() }) })).default([]),
        discussion_languages: z.array(z.number()),
      })
      .nullish(),
  })
  .transform(({ version, my_user: me }) => {
    if (!me) return null;
    const { local_user: settings, person } = me.local_user_view;
    return {
      personId: person.id,
      name: person.name,
      isBanned: person.banned,
      shows: {
        bots: settings.show_bot_accounts,
        nsfw: settings.show_nsfw,
        readPosts: settings.show_read_posts,
      },
      languageIds: me.discussion_languages,
      hasBlockedWords: false,
      blockedInstanceIds: me.instance_blocks.map(({ instance }) => instance.id),
      version,
    };
  });

const community = z
  .object({
    community_view: z.object({
      community: z.object({
        id: z.number(),
        name: z.string(),
        instance_id: z.number(),
        nsfw: z.boolean(),
        removed: z.boolean(),
        deleted: z.boolean(),
        hidden: z.boolean().default(false),
        posting_restricted_to_mods: z.boolean(),
      }),
      blocked: z.boolean().default(false),
      banned_from_community: z.boolean().default(false),
    }),
    moderators: z.array(z.object({ moderator: z.object({ id: z.number() }) })),
  })
  .transform(({ community_view: { community: seen, ...view }, moderators }) => ({
    id: seen.id,
    name: seen.name,
    instanceId: seen.instance_id,
    isNsfw: seen.nsfw,
    isGone: seen.removed || seen.deleted,
    isHidden: seen.hidden,
    isBlocked: view.blocked,
    isBanned: view.banned_from_community,
    isModsOnly: seen.posting_restricted_to_mods,
    moderatorIds: moderators.map(({ moderator }) => moderator.id),
  }));

const newest = { sort: 'New', limit: pageSize };

/** Lemmy 0.19. */
export const v3: Dialect = {
  loginPath: '/api/v3/user/login',
  createPath: '/api/v3/post',
  account: { path: '/api/v3/site', schema: account },

  community: name => ({ path: '/api/v3/community', query: { name }, schema: community }),

  site: {
    path: '/api/v3/site',
    schema: site.transform(({ version, site_view: { local_site_rate_limit: limit } }) => ({
      version,
      posts: limit.post,
      perSeconds: limit.post_per_second,
    })),
  },

  // Asked by creator: lists of a community leave out what the account has read, and it has read its own posts.
  postsBy:
    ({ personId, communityId }) =>
    ({ number }) => ({
      path: '/api/v3/user',
      query: { person_id: personId, community_id: communityId, ...newest, page: number },
      schema: listPage,
    }),

  postsIn: communityId => page => ({
    path: '/api/v3/post/list',
    query: {
      type_: 'All',
      community_id: communityId,
      ...newest,
      show_read: true,
      show_hidden: true,
      show_nsfw: true,
      ...mark(page),
    },
    schema: listPage,
  }),

  // It compares a link with the stored one as they are, and the stored one has lost its tracking parameters.
  postsWith:
    (link, communityId) =>
    ({ number }) => ({
      path: '/api/v3/search',
      query: {
        type_: 'Url',
        q: link,
        listing_type: 'All',
        community_id: communityId,
        ...newest,
        page: number,
      },
      schema: listPage,
    }),

  removedPosts:
    ({ personId, communityId }) =>
    ({ number }) => ({
      path: '/api/v3/modlog',
      query: {
        type_: 'ModRemovePost',
        other_person_id: personId,
        community_id: communityId,
        limit: pageSize,
        page: number,
      },
      schema: removedPage,
    }),
};

function mark({ number, cursor }: PageMark) {
  return cursor === null ? { page: number } : { page_cursor: cursor };
}
