import { createPost } from './createPost.ts';
import { booleanIn, type Call, type LemmyServer, numberIn, type Reply } from './server.ts';
import { cleaned, type FakeCommunity, type FakePerson, type FakePost, type LemmyWorld } from './world.ts';

const words = {
  banned: 'person_is_banned_from_community',
  modsOnly: 'not_a_moderator',
  noCommunity: 'not_found',
};

const secondsLeft = 90;

/** Lemmy 1.0, as its source has it in August 2026. */
export function answerV4(server: LemmyServer, call: Call): Reply {
  const { world } = server;
  const { route, query, viewer, form } = call;
  switch (route) {
    case 'GET /site':
      return ok({
        version: '1.0.0-beta.1',
        site_view: {
          local_site_rate_limit: { post_max_requests: 6, post_interval_seconds: 300 },
        },
        admins: [],
        all_languages: [],
        discussion_languages: [],
      });
    case 'POST /account/auth/login': {
      const answer = server.logIn(form);
      if (!('error' in answer)) return ok({ ...answer, registration_created: false });
      const isKnown = world.people.some(({ name }) => name === form.username_or_email);
      return refused(isKnown ? answer.error : 'not_found');
    }
    case 'GET /account/validate_auth':
      return viewer ? ok({ success: true }) : refused('not_logged_in');
    case 'GET /account':
      return viewer ? ok(myUser(world, viewer)) : refused('incorrect_login');
    case 'GET /community': {
      const place = world.communities.find(({ name }) => name === query.get('name'));
      return place ? ok(communityAnswer(place, viewer)) : refused('not_found');
    }
    case 'POST /post': {
      if (server.postsLeft <= 0) return throttled();
      server.postsLeft -= 1;
      if (!viewer) return refused('incorrect_login');
      const key = call.request.headers['idempotency-key'];
      if (key !== undefined && key.length <= 32) {
        // Kept whatever comes of it.
        if (server.keys.has(key)) return { status: 422, body: '' };
        server.keys.add(key);
      }
      const created = createPost(world, viewer, { form, words });
      return 'error' in created ? refused(created.error) : ok({ post_view: view(world, created.post) });
    }
    case 'GET /post/list': {
      const posts = listed(world, call);
      return posts === null ? refused('unknown') : ok(paged(world, query, posts));
    }
    case 'GET /search': {
      if (!server.hasSearch) return { status: 404, body: '' };
      const only = booleanIn(query, 'post_url_only');
      const renamed = new URLSearchParams([...query, ['search_url_only', String(only ?? false)]]);
      // A query of its own that fails looks like one that found nothing.
      const posts = listed(world, { ...call, query: renamed }) ?? [];
      const { items, next_page } = paged(world, query, posts);
      return ok({
        posts: items,
        comments: [],
        communities: [],
        persons: [],
        multi_communities: [],
        next_page,
      });
    }
    case 'GET /modlog': {
      const personId = numberIn(query, 'other_person_id');
      const removed = world.removed({ personId, communityId: numberIn(query, 'community_id') });
      const { next_page } = paged(world, query, removed);
      const items = removed.map(post => ({
        modlog: {
          id: post.id,
          kind: 'mod_remove_post',
          is_revert: false,
          published_at: post.removedAt?.toISOString(),
        },
        target_post: view(world, post).post,
      }));
      return ok({ items, next_page });
    }
    default:
      return { status: 404, body: '' };
  }
}

function listed(world: LemmyWorld, { query, viewer }: Call): FakePost[] | null {
  const term = query.get('search_term') ?? undefined;
  const isUrl = booleanIn(query, 'search_url_only') === true && term !== undefined;
  if (isUrl && !URL.canParse(term)) return null;
  return world.list(viewer, {
    communityId: numberIn(query, 'community_id'),
    creatorId: numberIn(query, 'creator_id'),
    ...(isUrl ? { url: cleaned(term) } : { term }),
    showRead: booleanIn(query, 'show_read'),
    showNsfw: booleanIn(query, 'show_nsfw'),
    arePinnedFirst: query.get('sort') !== 'new',
  });
}

function paged(world: LemmyWorld, query: URLSearchParams, posts: FakePost[]) {
  const limit = numberIn(query, 'limit') ?? 10;
  const start = Number((query.get('page_cursor') ?? 'P0').slice(1));
  const shown = posts.slice(start, start + limit);
  const hasMore = shown.length === limit;
  return {
    items: shown.map(post => view(world, post)),
    ...(hasMore && { next_page: `P${start + limit}` }),
  };
}

function myUser(world: LemmyWorld, viewer: FakePerson) {
  const { showBots, showNsfw, showRead, languageIds, keywords, blockedInstanceIds } = world.settings;
  return {
    local_user_view: {
      local_user: {
        id: viewer.id,
        person_id: viewer.id,
        show_nsfw: showNsfw,
        show_bot_accounts: showBots,
        show_read_posts: showRead,
      },
      person: personView(viewer),
      banned: viewer.isBanned,
    },
    follows: [],
    moderates: [],
    multi_community_follows: [],
    community_blocks: [],
    instance_communities_blocks: blockedInstanceIds.map(id => ({ id, domain: 'blocked.test' })),
    instance_persons_blocks: [],
    person_blocks: [],
    keyword_blocks: keywords,
    discussion_languages: languageIds,
  };
}

function personView({ id, name, isBot }: FakePerson) {
  return {
    id,
    name,
    bot_account: isBot,
    local: true,
    instance_id: 1,
    ap_id: `https://lemmy.test/u/${name}`,
  };
}

function communityView(place: FakeCommunity) {
  return {
    id: place.id,
    name: place.name.split('@')[0],
    removed: place.isRemoved,
    local_removed: false,
    deleted: place.isDeleted,
    nsfw: place.isNsfw,
    posting_restricted_to_mods: place.isModsOnly,
    local: !place.name.includes('@'),
    instance_id: place.name.includes('@') ? 7 : 1,
    visibility: place.isHidden ? 'unlisted' : 'public',
  };
}

function communityAnswer(place: FakeCommunity, viewer: FakePerson | null) {
  const holds = (ids: readonly number[]) => viewer !== null && ids.includes(viewer.id);
  const actions = {
    ...(holds(place.blockedByIds) && { blocked_at: '2026-01-01T00:00:00Z' }),
    ...(holds(place.bannedIds) && { received_ban_at: '2026-01-01T00:00:00Z' }),
  };
  return {
    community_view: { community: communityView(place), community_actions: actions, can_mod: false, tags: [] },
    moderators: place.moderatorIds.map(id => ({ moderator: { id } })),
    discussion_languages: [],
  };
}

function view(world: LemmyWorld, post: FakePost) {
  const creator = world.people.find(({ id }) => id === post.creatorId) ?? world.ada;
  const place = world.communities.find(({ id }) => id === post.communityId) ?? world.news;
  return {
    post: {
      id: post.id,
      name: post.name,
      ...(post.url !== null && { url: post.url }),
      ...(post.body !== null && { body: post.body }),
      ...(post.altText !== null && { alt_text: post.altText }),
      ...(post.thumbnail !== null && { thumbnail_url: cleaned(post.thumbnail) }),
      creator_id: post.creatorId,
      community_id: post.communityId,
      removed: post.removedAt !== null,
      locked: false,
      deleted: post.isDeleted,
      nsfw: post.isNsfw,
      published_at: post.publishedAt.toISOString(),
      ap_id: `https://lemmy.test/post/${post.id}`,
      local: true,
      language_id: post.languageId,
      featured_community: post.isPinned,
      featured_local: false,
    },
    creator: personView(creator),
    community: communityView(place),
    tags: [],
    can_mod: false,
  };
}

function ok(body: unknown): Reply {
  return { status: 200, body };
}

function refused(error: string): Reply {
  const status = error === 'incorrect_login' ? 401 : error === 'not_found' ? 404 : 400;
  return { status, body: { error, cause: error } };
}

function throttled(): Reply {
  const headers = {
    'x-ratelimit-limit': '6',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(secondsLeft),
    'retry-after': String(secondsLeft),
  };
  return { status: 429, body: '', headers };
}
