import { createPost } from './createPost.ts';
import { booleanIn, type Call, type LemmyServer, numberIn, type Reply } from './server.ts';
import { cleaned, type FakeCommunity, type FakePerson, type FakePost, type LemmyWorld } from './world.ts';

const words = {
  banned: 'banned_from_community',
  modsOnly: 'only_mods_can_post_in_community',
  noCommunity: 'couldnt_find_community',
};

/** Lemmy 0.19, as its source has it at 0.19.20. */
export function answerV3(server: LemmyServer, call: Call): Reply {
  const { world } = server;
  const { route, query, viewer } = call;
  if (server.isPrivate && viewer === null && /^GET \/(community|post|search|user$|modlog)/.test(route)) {
    return refused('instance_is_private');
  }
  switch (route) {
    case 'POST /user/login': {
      const answer = server.logIn(call.form);
      const person = world.people.find(({ name }) => name === call.form.username_or_email);
      if ('jwt' in answer && person?.isBanned) return refused('site_ban');
      return 'error' in answer ? refused(answer.error) : ok({ ...answer, registration_created: false });
    }
    case 'GET /user/validate_auth':
      return valid(viewer) ? ok({ success: true }) : refused('not_logged_in');
    case 'GET /site':
      return ok(site(world, valid(viewer)));
    case 'GET /community': {
      const place = world.communities.find(({ name }) => name === query.get('name'));
      if (!place) return refused('couldnt_find_community');
      return ok(communityAnswer(place, viewer));
    }
    case 'POST /post': {
      if (server.postsLeft <= 0) return refused('rate_limit_error');
      server.postsLeft -= 1;
      if (!valid(viewer)) return refused('incorrect_login');
      const created = createPost(world, valid(viewer) ?? world.me, { form: call.form, words });
      if ('error' in created) return refused(created.error);
      return ok({ post_view: view(world, created.post) });
    }
    case 'GET /user':
      return page(world, query, filtered(world, call, { creatorId: numberIn(query, 'person_id') }));
    case 'GET /post/list': {
      const shown = { showRead: booleanIn(query, 'show_read'), showNsfw: booleanIn(query, 'show_nsfw') };
      return page(world, query, filtered(world, call, shown), true);
    }
    case 'GET /search': {
      if (!server.hasSearch) return { status: 404, body: '' };
      if (server.searchesLeft <= 0) return refused('rate_limit_error');
      server.searchesLeft -= 1;
      const term = query.get('q') ?? '';
      const by = query.get('type_') === 'Url' ? { url: term } : { term };
      const creatorId = numberIn(query, 'creator_id');
      const answer = page(world, query, filtered(world, call, { ...by, creatorId }));
      return ok({
        type_: query.get('type_'),
        comments: [],
        communities: [],
        users: [],
        ...Object(answer.body),
      });
    }
    case 'GET /modlog':
      return ok({ removed_posts: removals(world, query) });
    default:
      return { status: 404, body: '' };
  }
}

/** The v3 of 1.0: a thin shim over v4, without validate_auth and profiles, whose search knows only its term. */
export function answerShim(server: LemmyServer, call: Call): Reply {
  if (['GET /user/validate_auth', 'GET /user', 'GET /modlog'].includes(call.route)) {
    return { status: 404, body: '' };
  }
  if (call.route === 'GET /site') {
    const { status, body } = answerV3(server, call);
    return { status, body: { ...Object(body), version: '1.0.0-beta.1' } };
  }
  if (call.route !== 'GET /search') return answerV3(server, call);
  const query = new URLSearchParams({ type_: 'Posts', q: call.query.get('q') ?? '' });
  return answerV3(server, { ...call, query });
}

// A banned account is nobody.
function valid(viewer: FakePerson | null): FakePerson | null {
  return viewer?.isBanned ? null : viewer;
}

function filtered(world: LemmyWorld, { query, viewer }: Call, more: object): FakePost[] {
  const communityId = numberIn(query, 'community_id');
  return world.list(valid(viewer), { communityId, arePinnedFirst: true, ...more });
}

function page(world: LemmyWorld, query: URLSearchParams, posts: FakePost[], hasCursor = false): Reply {
  const limit = numberIn(query, 'limit') ?? 10;
  if (limit > 50) return refused('unknown');
  const cursor = query.get('page_cursor');
  const start = cursor === null ? ((numberIn(query, 'page') ?? 1) - 1) * limit : Number(cursor.slice(1));
  const shown = posts.slice(start, start + limit);
  return ok({
    posts: shown.map(post => view(world, post)),
    ...(hasCursor && shown.length > 0 && { next_page: `P${start + shown.length}` }),
  });
}

function removals(world: LemmyWorld, query: URLSearchParams) {
  const personId = numberIn(query, 'other_person_id');
  const start = ((numberIn(query, 'page') ?? 1) - 1) * (numberIn(query, 'limit') ?? 10);
  const removed = world.removed({ personId, communityId: numberIn(query, 'community_id') });
  return removed.slice(start, start + (numberIn(query, 'limit') ?? 10)).map(post => ({
    mod_remove_post: { id: post.id, post_id: post.id, removed: true, when_: post.removedAt?.toISOString() },
    ...view(world, post),
  }));
}

function site(world: LemmyWorld, viewer: FakePerson | null) {
  const { showBots, showNsfw, showRead, languageIds, blockedInstanceIds } = world.settings;
  const myUser = viewer && {
    local_user_view: {
      local_user: {
        id: viewer.id,
        person_id: viewer.id,
        show_nsfw: showNsfw,
        show_bot_accounts: showBots,
        show_read_posts: showRead,
      },
      person: personView(viewer),
    },
    follows: [],
    moderates: [],
    community_blocks: [],
    instance_blocks: blockedInstanceIds.map(id => ({ instance: { id, domain: 'blocked.test' } })),
    person_blocks: [],
    discussion_languages: languageIds,
  };
  return {
    version: '0.19.20',
    site_view: {
      local_site_rate_limit: { post: 6, post_per_second: 600, search: 60, search_per_second: 600 },
    },
    admins: [],
    all_languages: [{ id: 0, code: 'und', name: 'Undetermined' }],
    discussion_languages: [],
    ...(myUser && { my_user: myUser }),
  };
}

function personView({ id, name, isBot, isBanned }: FakePerson) {
  const actor_id = `https://lemmy.test/u/${name}`;
  return { id, name, banned: isBanned, bot_account: isBot, local: true, instance_id: 1, actor_id };
}

function communityView(place: FakeCommunity) {
  return {
    id: place.id,
    name: place.name.split('@')[0],
    title: place.name,
    removed: place.isRemoved,
    deleted: place.isDeleted,
    nsfw: place.isNsfw,
    hidden: place.isHidden,
    posting_restricted_to_mods: place.isModsOnly,
    local: !place.name.includes('@'),
    instance_id: place.name.includes('@') ? 7 : 1,
    visibility: 'Public',
  };
}

function communityAnswer(place: FakeCommunity, viewer: FakePerson | null) {
  const holds = (ids: readonly number[]) => viewer !== null && ids.includes(viewer.id);
  return {
    community_view: {
      community: communityView(place),
      subscribed: 'NotSubscribed',
      blocked: holds(place.blockedByIds),
      banned_from_community: holds(place.bannedIds),
    },
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
      published: post.publishedAt.toISOString(),
      ap_id: `https://lemmy.test/post/${post.id}`,
      local: true,
      language_id: post.languageId,
      featured_community: post.isPinned,
      featured_local: false,
    },
    creator: personView(creator),
    community: communityView(place),
  };
}

function ok(body: unknown): Reply {
  return { status: 200, body };
}

/** 0.19 says everything with a 400, but a wrong log-in. */
function refused(error: string): Reply {
  return { status: error === 'incorrect_login' ? 401 : 400, body: { error } };
}
