import { createHash } from 'node:crypto';
import type { Behaviour, ReceivedRequest } from '../support/fakeReceiver.ts';
import { jsonAnswer, type ProtocolFake } from '../support/protocolFake.ts';
import { type FakeFlavour, type FlavourTraits, flavourTraits } from './mastodon/flavours.ts';
import { type FormFile, parseForm } from './mastodon/parseForm.ts';
import { statusHtml } from './mastodon/statusHtml.ts';

export type StoredStatus = {
  id: string;
  text: string;
  spoilerText: string;
  visibility: string;
  sensitive: boolean;
  language: string | null;
  mediaIds: readonly string[];
  createdAt: Date;
  isBoost: boolean;
  inReplyToId: string | null;
  cardUrl: string | null;
};

export type StoredMedia = FormFile & { id: string; description: string; questionsLeft: number };

/** An instance with one account. What is not readonly may be changed while it runs. */
export type MastodonFake = ProtocolFake & {
  readonly traits: FlavourTraits;
  /** Newest first. */
  readonly statuses: readonly StoredStatus[];
  readonly media: ReadonlyMap<string, StoredMedia>;
  token: string;
  scopes: readonly string[];
  /** How often the server says 206 before a picture is processed; 0: it is so at once. */
  questionsPerMedia: number;
  /** The instance's own refusal of the next posts: unlike a fault, it is seen by what keeps answers under keys. */
  refusal: { status: number; error: string } | null;
  /** Until then every request is one too many; null: none is. */
  limitedUntil: Date | null;
  /** What the account has posted by other means. */
  add(status: Partial<StoredStatus>): StoredStatus;
  forgetMedia(): void;
};

export type MastodonFakeOptions = {
  flavour?: FakeFlavour;
  token?: string;
  username?: string;
  now?: () => Date;
  traits?: Partial<FlavourTraits>;
};

type KeptAnswer = { behaviour: Behaviour; at: Date };

const accountId = '109348273';
const keyLastsMs = 3_600_000;

/** A server that speaks Mastodon's API, with what is particular to each of them. */
export function fakeMastodon({
  flavour = 'mastodon',
  token = 'a-token-of-the-fake',
  username = 'bot',
  now = () => new Date('2026-09-07T08:30:01.000Z'),
  traits: changes = {},
}: MastodonFakeOptions = {}): MastodonFake {
  const traits = { ...flavourTraits[flavour], ...changes };
  const statuses: StoredStatus[] = [];
  const media = new Map<string, StoredMedia>();
  const kept = new Map<string, KeptAnswer>();
  let lastId = 115_000_000_000_000;

  const fake: MastodonFake = {
    traits,
    statuses,
    media,
    token,
    scopes: ['read', 'write'],
    questionsPerMedia: 0,
    refusal: null,
    limitedUntil: null,
    isPost: ({ method, path }) => method === 'POST' && path === '/api/v1/statuses',
    posts: () => statuses.map(({ id }) => id).reverse(),
    add(changes) {
      lastId += 1;
      const status = { ...emptyStatus(String(lastId), now()), ...changes };
      statuses.unshift(status);
      return status;
    },
    forgetMedia: () => media.clear(),
    answer(request) {
      if (fake.limitedUntil) return tooMany(fake.limitedUntil);
      const { pathname, searchParams } = new URL(request.path, 'http://fake.test');
      switch (`${request.method} ${pathname}`) {
        case 'GET /api/v2/instance':
          return traits.hasInstanceV2 ? jsonAnswer(200, instance(traits)) : refuse(404, 'Not Found');
        case 'GET /api/v1/instance':
          return jsonAnswer(200, instance(traits));
        case 'GET /api/v1/accounts/verify_credentials':
          return isKnown(request) ? jsonAnswer(200, account(username, request)) : unknownToken(true);
        case 'GET /api/v1/apps/verify_credentials':
          return isKnown(request) ? jsonAnswer(200, { name: 'fake', scopes: fake.scopes }) : unknownToken();
        case `GET /api/v1/accounts/${accountId}/statuses`:
          return list(request, searchParams);
        case 'POST /api/v2/media':
        case 'POST /api/v1/media':
          return isKnown(request) ? upload(request) : unknownToken();
        case 'POST /api/v1/statuses':
          return isKnown(request) ? post(request) : unknownToken();
        default:
          return isKnown(request) ? one(request, pathname) : refuse(404, 'Record not found');
      }
    },
  };
  return fake;

  function isKnown({ headers }: ReceivedRequest): boolean {
    return headers.authorization === `Bearer ${fake.token}`;
  }

  function may(scope: string): boolean {
    return fake.scopes.includes(scope) || fake.scopes.includes(scope.split(':')[0] ?? '');
  }

  function refuse(status: number, error: string): Behaviour {
    if (!traits.hasWords) return { kind: 'answer', status };
    return jsonAnswer(status, { error });
  }

  function tooMany(until: Date): Behaviour {
    const forms = {
      iso: until.toISOString(),
      epoch: String(Math.floor(until.getTime() / 1_000)),
      none: null,
    };
    const reset = forms[traits.resetForm];
    const headers: Record<string, string> =
      reset === null ? {} : { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': reset };
    return jsonAnswer(429, { error: 'Too many requests' }, headers);
  }

  function unknownToken(onVerify = false): Behaviour {
    const { status, error } = traits.unknownToken;
    return refuse(onVerify ? traits.unknownTokenOnVerify : status, error);
  }

  // A token that it does not know is none: anyone's answer.
  function list(request: ReceivedRequest, query: URLSearchParams): Behaviour {
    if (isKnown(request) && !may('read:statuses')) return refuse(403, outsideScopes);
    const seen = statuses
      .filter(({ visibility }) => visibility !== 'private' || (isKnown(request) && traits.listsPrivate))
      .filter(({ isBoost }) => !isBoost || query.get('exclude_reblogs') !== 'true');
    const maxId = traits.turnsPages ? query.get('max_id') : null;
    const older = seen.filter(({ id }) => maxId === null || Number(id) < Number(maxId));
    const asked = traits.turnsPages ? Number(query.get('limit') ?? 20) : traits.longestPage;
    const page = older.slice(0, Math.min(asked, traits.longestPage));
    const next = `<https://elsewhere.test/api/v1/accounts/${accountId}/statuses?max_id=${page.at(-1)?.id}>; rel="next"`;
    const isFull = page.length === asked || page.length === traits.longestPage;
    const headers: Record<string, string> = traits.linkHeader && isFull ? { Link: next } : {};
    return jsonAnswer(
      200,
      page.map(status => entity(status, request)),
      headers,
    );
  }

  function upload(request: ReceivedRequest): Behaviour {
    if (!may('write:media')) return refuse(403, outsideScopes);
    const { files, values } = parseForm(request);
    const { file } = files;
    if (!file) return refuse(422, "Validation failed: File can't be blank");
    if (!/^image\/(png|jpeg|gif|webp)$/.test(file.mediaType))
      return refuse(422, 'Validation failed: File content type is invalid');
    const byName = createHash('md5').update(file.fileName).digest('hex');
    const id = traits.idsByFileName ? `${byName}.${file.fileName.split('.').at(-1)}` : `${media.size + 1}00`;
    const stored = {
      ...file,
      id,
      description: values.description ?? '',
      questionsLeft: fake.questionsPerMedia,
    };
    media.set(id, stored);
    return jsonAnswer(stored.questionsLeft > 0 ? 202 : 200, attachment(stored, request));
  }

  function post(request: ReceivedRequest): Behaviour {
    const key = request.headers['idempotency-key'];
    if (key === undefined || traits.keepsKeys === 'never') return create(request);
    const before = kept.get(key);
    if (
      before &&
      now().getTime() - before.at.getTime() < keyLastsMs * (traits.keepsKeys === 'answers' ? 6 : 1)
    )
      return traits.keepsKeys === 'answers' ? replayed(before.behaviour) : before.behaviour;
    const behaviour = create(request);
    const isSuccess = behaviour.kind === 'answer' && behaviour.status === 200;
    if (isSuccess || traits.keepsKeys === 'answers') kept.set(key, { behaviour, at: now() });
    return behaviour;
  }

  function create(request: ReceivedRequest): Behaviour {
    if (fake.refusal) return refuse(fake.refusal.status, fake.refusal.error);
    if (!may('write:statuses')) return refuse(403, outsideScopes);
    const asked = JSON.parse(request.body);
    const { status = '', spoiler_text = '', media_ids = [], visibility = 'public' } = asked;
    if (status === '' && media_ids.length === 0 && flavour !== 'snac')
      return refuse(422, "Validation failed: Text can't be blank");
    if (lengthOf(status) + lengthOf(spoiler_text) > traits.maxCharacters)
      return refuse(422, `Validation failed: Text character limit of ${traits.maxCharacters} exceeded`);
    const missing = media_ids.filter((id: string) => !media.has(id));
    if (missing.length > 0 && flavour !== 'snac')
      return refuse(422, `Media ${missing.join(', ')} not found or already attached to another post`);
    if (media_ids.some((id: string) => (media.get(id)?.questionsLeft ?? 0) > 0))
      return refuse(422, 'Cannot attach files that have not finished processing. Try again in a moment!');
    const created = fake.add({
      text: status,
      spoilerText: spoiler_text,
      visibility,
      sensitive: asked.sensitive ?? false,
      language: asked.language ?? null,
      mediaIds: media_ids,
    });
    return jsonAnswer(200, entity(created, request));
  }

  function lengthOf(text: string): number {
    if (traits.countsInFull) return Array.from(text).length;
    const counted = text.replace(/https?:\/\/\S+/g, 'x'.repeat(23));
    return [...new Intl.Segmenter('en').segment(counted)].length;
  }

  function one(request: ReceivedRequest, pathname: string): Behaviour {
    const [, kind, id = ''] = /^\/api\/v1\/(statuses|media)\/([^/]+)$/.exec(pathname) ?? [];
    const status = statuses.find(each => each.id === id);
    if (kind === 'statuses' && status) return jsonAnswer(200, entity(status, request));
    const stored = media.get(decodeURIComponent(id));
    if (kind !== 'media' || !stored) return refuse(404, 'Record not found');
    stored.questionsLeft = Math.max(0, stored.questionsLeft - 1);
    return jsonAnswer(stored.questionsLeft > 0 ? 206 : 200, attachment(stored, request));
  }

  function entity(status: StoredStatus, request: ReceivedRequest) {
    const url = `http://${request.headers.host}/@${username}/${status.id}`;
    return {
      id: status.id,
      created_at: status.createdAt.toISOString(),
      in_reply_to_id: status.inReplyToId,
      sensitive: status.sensitive,
      spoiler_text: status.spoilerText,
      visibility: status.visibility,
      language: status.language,
      uri: url,
      url,
      content: statusHtml(status.text),
      reblog: status.isBoost ? { id: '1' } : null,
      account: account(username, request),
      media_attachments: status.mediaIds.map(id => ({ id, description: media.get(id)?.description })),
      card: status.cardUrl === null ? null : { url: status.cardUrl },
    };
  }
}

const outsideScopes = 'This action is outside the authorized scopes';

function emptyStatus(id: string, createdAt: Date): StoredStatus {
  return {
    id,
    text: '',
    spoilerText: '',
    visibility: 'public',
    sensitive: false,
    language: null,
    mediaIds: [],
    createdAt,
    isBoost: false,
    inReplyToId: null,
    cardUrl: null,
  };
}

function account(username: string, { headers }: ReceivedRequest) {
  return {
    id: accountId,
    username,
    acct: username,
    url: `http://${headers.host}/@${username}`,
    locked: false,
  };
}

function attachment({ id, description, questionsLeft }: StoredMedia, { headers }: ReceivedRequest) {
  const url = questionsLeft > 0 ? null : `http://${headers.host}/media/${id}`;
  return { id, type: 'image', url, description };
}

function instance({ version, sourceUrl, maxCharacters, maxTootChars }: FlavourTraits) {
  return {
    version,
    source_url: sourceUrl,
    ...(maxTootChars && { max_toot_chars: maxCharacters }),
    configuration: {
      statuses: {
        max_characters: maxCharacters,
        max_media_attachments: 4,
        characters_reserved_per_url: 23,
      },
      media_attachments: {
        supported_mime_types: ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'video/mp4'],
        image_size_limit: 16_777_216,
      },
    },
  };
}

function replayed(behaviour: Behaviour): Behaviour {
  if (behaviour.kind !== 'answer') return behaviour;
  return { ...behaviour, headers: { ...behaviour.headers, 'Idempotent-Replayed': 'true' } };
}
