/** In what the servers that speak Mastodon's API differ, as far as a client can tell. */
export type FlavourTraits = {
  version: string;
  sourceUrl: string;
  hasInstanceV2: boolean;
  /** In v1, where clients of old look for it. */
  maxTootChars: boolean;
  maxCharacters: number;
  /** Links and hosts of mentions count in full. */
  countsInFull: boolean;
  /** `posts`: an id for an hour, once posted. `answers`: each answer, refusals too, whosever it was. */
  keepsKeys: 'posts' | 'answers' | 'never';
  /** The most that a page has, whatever is asked for. */
  longestPage: number;
  turnsPages: boolean;
  linkHeader: boolean;
  listsPrivate: boolean;
  /** snac's errors have no words. */
  hasWords: boolean;
  /** Of a token that it does not know. */
  unknownToken: { status: number; error: string };
  unknownTokenOnVerify: number;
  /** A file's id is made of its name: the same name replaces the file. */
  idsByFileName: boolean;
  resetForm: 'iso' | 'epoch' | 'none';
};

export type FakeFlavour = 'mastodon' | 'pleroma' | 'gotosocial' | 'snac' | 'friendica';

const mastodon: FlavourTraits = {
  version: '4.4.1',
  sourceUrl: 'https://github.com/mastodon/mastodon',
  hasInstanceV2: true,
  maxTootChars: false,
  maxCharacters: 500,
  countsInFull: false,
  keepsKeys: 'posts',
  longestPage: 40,
  turnsPages: true,
  linkHeader: true,
  listsPrivate: true,
  hasWords: true,
  unknownToken: { status: 401, error: 'The access token is invalid' },
  unknownTokenOnVerify: 401,
  idsByFileName: false,
  resetForm: 'iso',
};

export const flavourTraits: Readonly<Record<FakeFlavour, FlavourTraits>> = {
  mastodon,
  pleroma: {
    ...mastodon,
    version: '2.7.2 (compatible; Akkoma 3.15.2)',
    sourceUrl: 'https://akkoma.dev/AkkomaGang/akkoma/',
    maxTootChars: true,
    maxCharacters: 5_000,
    countsInFull: true,
    keepsKeys: 'answers',
    unknownToken: { status: 403, error: 'Invalid credentials.' },
    unknownTokenOnVerify: 403,
    resetForm: 'none',
  },
  gotosocial: {
    ...mastodon,
    version: '0.19.1+git-a1b2c3d',
    sourceUrl: 'https://codeberg.org/superseriousbusiness/gotosocial',
    maxCharacters: 5_000,
    countsInFull: true,
    keepsKeys: 'never',
    longestPage: 100,
    unknownToken: { status: 401, error: 'Unauthorized: token not recognized' },
    resetForm: 'epoch',
  },
  snac: {
    ...mastodon,
    version: '4.0.0 (not true; really snac/2.75)',
    sourceUrl: 'https://comam.es/what-is-snac',
    hasInstanceV2: false,
    maxCharacters: 100_000,
    countsInFull: true,
    keepsKeys: 'never',
    longestPage: 256,
    turnsPages: false,
    linkHeader: false,
    listsPrivate: false,
    hasWords: false,
    unknownToken: { status: 401, error: '' },
    unknownTokenOnVerify: 422,
    idsByFileName: true,
    resetForm: 'none',
  },
  friendica: {
    ...mastodon,
    version: '2.8.0 (compatible; Friendica 2024.12)',
    sourceUrl: 'https://git.friendi.ca/friendica/friendica',
    maxTootChars: true,
    maxCharacters: 200_000,
    countsInFull: true,
    keepsKeys: 'never',
    longestPage: Number.POSITIVE_INFINITY,
    resetForm: 'none',
  },
};
