import type { Question } from './askLemmy.ts';

/** One API of Lemmy: which question is asked where, and its answer as both APIs mean it. */
export type Dialect = {
  loginPath: string;
  createPath: string;
  /** Null: the token is not accepted. Reads ignore a bad one, and answer as to anybody. */
  account: Question<SeenAccount | null>;
  community(name: string): Question<SeenCommunity>;
  site: Question<SeenSite>;
  /** What one person posted in a community, the newest first. */
  postsBy(place: { personId: number; communityId: number }): PageQuestion;
  /** What was posted in a community, the newest first. */
  postsIn(communityId: number): PageQuestion;
  /** Posts in a community with exactly this link. */
  postsWith(link: string, communityId: number): PageQuestion;
  /** Posts of one person that a moderator has removed from a community, the last removed first. */
  removedPosts(place: { personId: number; communityId: number }): PageQuestion;
};

export type PageQuestion = (page: PageMark) => Question<SeenPage>;

/** `number` counts from 1; `cursor`: what the page before said of the next one, null: nothing. */
export type PageMark = { number: number; cursor: string | null };

export type SeenPage = {
  posts: readonly SeenPost[];
  /** Null: this is the last page. Undefined: the server does not say, pages are counted. */
  next: string | null | undefined;
};

export type SeenPost = {
  id: number;
  title: string;
  url: string | null;
  creatorId: number;
  communityId: number;
  createdAt: Date;
  /** What the list is sorted by: when it was created, or removed. */
  listedAt: Date;
  /** Before all others in a list, however old. */
  isPinned: boolean;
  remoteUrl: string;
};

export type SeenAccount = {
  personId: number;
  name: string;
  isBanned: boolean;
  /** What its lists leave out unless they are on. */
  shows: { bots: boolean; nsfw: boolean; readPosts: boolean };
  /** Of these its lists leave out whatever is written in another; empty: all are enabled. */
  languageIds: readonly number[];
  /** Posts with such a word are left out of its lists. */
  hasBlockedWords: boolean;
  blockedInstanceIds: readonly number[];
  /** `0.19.20`; null: not said here. */
  version: string | null;
};

export type SeenCommunity = {
  id: number;
  name: string;
  instanceId: number;
  isNsfw: boolean;
  /** Deleted or removed. */
  isGone: boolean;
  /** Kept out of lists by the instance. */
  isHidden: boolean;
  /** By the account. */
  isBlocked: boolean;
  /** The account, from here. */
  isBanned: boolean;
  isModsOnly: boolean;
  moderatorIds: readonly number[];
};

export type SeenSite = { version: string; posts: number; perSeconds: number };

/** The most that a page may have. */
export const pageSize = 50;
