import type { Clock } from '../../../src/clock.ts';

export type FakePost = {
  id: number;
  name: string;
  url: string | null;
  body: string | null;
  altText: string | null;
  thumbnail: string | null;
  creatorId: number;
  communityId: number;
  publishedAt: Date;
  removedAt: Date | null;
  isDeleted: boolean;
  isNsfw: boolean;
  isPinned: boolean;
  languageId: number;
  readBy: Set<number>;
};

export type FakeCommunity = {
  id: number;
  /** As it is asked for: `news`, `world@other.test`. */
  name: string;
  isNsfw: boolean;
  isRemoved: boolean;
  isDeleted: boolean;
  isHidden: boolean;
  isModsOnly: boolean;
  moderatorIds: number[];
  bannedIds: number[];
  blockedByIds: number[];
};

export type FakePerson = { id: number; name: string; password: string; isBot: boolean; isBanned: boolean };

/** The settings of the account that posts. */
export type FakeSettings = {
  showBots: boolean;
  showNsfw: boolean;
  showRead: boolean;
  /** Empty: all. */
  languageIds: number[];
  keywords: string[];
  blockedInstanceIds: number[];
};

export type CreateForm = {
  name?: string;
  community_id?: number;
  url?: string;
  body?: string;
  alt_text?: string;
  custom_thumbnail?: string;
  nsfw?: boolean;
  language_id?: number;
};

export type ListFilter = {
  communityId?: number | undefined;
  creatorId?: number | undefined;
  /** Compared letter by letter. */
  url?: string | undefined;
  /** Somewhere in the title or the body. */
  term?: string | undefined;
  showRead?: boolean | undefined;
  showNsfw?: boolean | undefined;
  arePinnedFirst: boolean;
};

/** An instance and what is in it, as far as both APIs see the same. */
export class LemmyWorld {
  readonly posts: FakePost[] = [];
  readonly me: FakePerson = {
    id: 2,
    name: 'headway',
    password: 'a password of lemmy',
    isBot: true,
    isBanned: false,
  };
  readonly ada: FakePerson = {
    id: 3,
    name: 'ada',
    password: 'the password of ada',
    isBot: false,
    isBanned: false,
  };
  readonly news = community(10, 'news');
  readonly world = community(11, 'world@other.test');
  readonly settings: FakeSettings = {
    showBots: true,
    showNsfw: false,
    showRead: true,
    languageIds: [],
    keywords: [],
    blockedInstanceIds: [],
  };
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get communities(): readonly FakeCommunity[] {
    return [this.news, this.world];
  }

  get people(): readonly FakePerson[] {
    return [this.me, this.ada];
  }

  now(): Date {
    return this.#clock.now();
  }

  /** Puts a post there, as somebody else would have. */
  add(post: Partial<FakePost> = {}): FakePost {
    const added: FakePost = {
      id: this.posts.length + 101,
      name: 'A post of somebody else',
      url: null,
      body: null,
      altText: null,
      thumbnail: null,
      creatorId: this.ada.id,
      communityId: this.news.id,
      publishedAt: this.now(),
      removedAt: null,
      isDeleted: false,
      isNsfw: false,
      isPinned: false,
      languageId: 0,
      readBy: new Set(),
      ...post,
    };
    this.posts.push(added);
    return added;
  }

  /** What a list shows to somebody, the newest first: whatever their own settings hide is missing. */
  list(viewer: FakePerson | null, filter: ListFilter): FakePost[] {
    const shown = this.posts.filter(
      post => this.#isAsked(post, filter) && this.#isShown(post, viewer, filter),
    );
    const rank = ({ isPinned }: FakePost) => (filter.arePinnedFirst && isPinned ? 0 : 1);
    return shown.toSorted(
      (a, b) => rank(a) - rank(b) || Number(b.publishedAt) - Number(a.publishedAt) || b.id - a.id,
    );
  }

  removed(filter: { communityId?: number | undefined; personId?: number | undefined }): FakePost[] {
    return this.posts
      .filter(post => post.removedAt !== null)
      .filter(post => filter.communityId === undefined || post.communityId === filter.communityId)
      .filter(post => filter.personId === undefined || post.creatorId === filter.personId)
      .toSorted((a, b) => Number(b.removedAt) - Number(a.removedAt));
  }

  #isAsked(post: FakePost, { communityId, creatorId, url, term }: ListFilter): boolean {
    return (
      (communityId === undefined || post.communityId === communityId) &&
      (creatorId === undefined || post.creatorId === creatorId) &&
      (url === undefined || post.url === url) &&
      (term === undefined || post.name.includes(term) || (post.body ?? '').includes(term))
    );
  }

  #isShown(post: FakePost, viewer: FakePerson | null, filter: ListFilter): boolean {
    const place = this.communities.find(({ id }) => id === post.communityId);
    const creator = this.people.find(({ id }) => id === post.creatorId);
    if (post.removedAt !== null || !place || place.isRemoved || place.isDeleted || place.isHidden)
      return false;
    if (post.isDeleted && post.creatorId !== viewer?.id) return false;
    const isNsfw = post.isNsfw || place.isNsfw;
    if (viewer === null) return !isNsfw || filter.showNsfw === true;
    const { showBots, showNsfw, showRead, languageIds } = this.settings;
    if (isNsfw && !(filter.showNsfw ?? showNsfw)) return false;
    if (creator?.isBot && !showBots) return false;
    // Profiles show what was read; lists do not.
    const isRead = post.readBy.has(viewer.id) && filter.creatorId === undefined;
    if (isRead && !(filter.showRead ?? showRead)) return false;
    if (languageIds.length > 0 && !languageIds.includes(post.languageId)) return false;
    return !place.blockedByIds.includes(viewer.id);
  }
}

function community(id: number, name: string): FakeCommunity {
  return {
    id,
    name,
    isNsfw: false,
    isRemoved: false,
    isDeleted: false,
    isHidden: false,
    isModsOnly: false,
    moderatorIds: [3],
    bannedIds: [],
    blockedByIds: [],
  };
}

const trackers = /^(utm_|fbclid$|gclid$)/;

/** A link as it is stored: without what tells where its reader came from. */
export function cleaned(url: string): string {
  const clean = new URL(url);
  for (const name of [...clean.searchParams.keys()]) if (trackers.test(name)) clean.searchParams.delete(name);
  return clean.href;
}
