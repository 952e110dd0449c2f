import type { AccountAccess } from '../Channel.ts';
import type { ImageChoice } from '../settingsParts.ts';

export type LemmyCredentials = { instance: string; username: string; password: string };

/** `v3`: Lemmy 0.19. `v4`: Lemmy 1.0, whose own v3 is a thin shim that drops filters. */
export type LemmyApi = 'v3' | 'v4';

/** A token lives until the account logs out or changes its password. */
export type LemmySession = { api: LemmyApi; jwt: string; personId: number };

export type LemmyAccount = AccountAccess<LemmyCredentials, LemmySession>;

export type LemmySettings = {
  /** A community: `news`, `news@host`, `!news@host`, or its address. */
  target: string;
  /** What stands below the title: nothing, the article's summary, or the route's template. */
  body: 'none' | 'summary' | 'text';
  nsfw: boolean;
  /** The instance's number of a language; left out: what the instance makes of it. */
  languageId?: number | undefined;
  image: ImageChoice;
  duplicates: string;
};

/** A post as it is sent. Null: left out. */
export type LemmyPost = {
  communityId: number;
  title: string;
  url: string | null;
  body: string | null;
  thumbnailUrl: string | null;
  altText: string | null;
  nsfw: boolean;
  languageId: number | null;
};
