import type { Behaviour, ReceivedRequest } from '../support/fakeReceiver.ts';
import { jsonAnswer, type ProtocolFake } from '../support/protocolFake.ts';
import { error, invalidPost } from './ghost/answers.ts';
import { matchesFilter } from './ghost/filter.ts';
import { problemOf } from './ghost/problemOf.ts';
import { decodedText, refusalOfToken } from './ghost/token.ts';

export { error, maintenancePage } from './ghost/answers.ts';
export { ghostAdminKey } from './ghost/token.ts';

export type GhostOptions = {
  /** What the site's clock says. Default: the instant of the tests' gate. */
  now?: () => Date;
};

export type GhostPost = {
  id: string;
  uuid: string;
  title: string;
  slug: string;
  html: string;
  status: string;
  canonical_url: string | null;
  custom_excerpt: string | null;
  feature_image: string | null;
  feature_image_alt: string | null;
  tags: { name: string }[];
  created_at: string;
};

export type FakeGhost = ProtocolFake & {
  stored: GhostPost[];
  images: { fileName: string; mediaType: string; bytes: Buffer }[];
  /** Stores a post as if somebody had written it there. */
  write(post: Partial<GhostPost>): GhostPost;
  /** Deletes the integration, and with it the key. */
  removeKey(): void;
};

const api = '/ghost/api/admin';
const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/svg+xml', 'image/x-icon'];

/**
 * Ghost's Admin API as it was seen on 5.130.6 and 6.65.0: no idempotency, ids of the client and unknown fields
 * ignored, tokens good for five minutes by its own clock, canonical URLs compared letter by letter.
 */
export function fakeGhost({
  now = () => new Date('2026-09-07T08:30:01.000Z'),
}: GhostOptions = {}): FakeGhost {
  const stored: GhostPost[] = [];
  const images: FakeGhost['images'] = [];
  let hasKey = true;
  let made = 0;

  const fake: FakeGhost = {
    stored,
    images,
    write(post) {
      made += 1;
      const hex = made.toString(16);
      const written: GhostPost = {
        id: hex.padStart(24, '0'),
        uuid: `00000000-0000-4000-8000-${hex.padStart(12, '0')}`,
        title: 'A title',
        slug: `post-${made}`,
        html: '',
        status: 'published',
        canonical_url: null,
        custom_excerpt: null,
        feature_image: null,
        feature_image_alt: null,
        tags: [],
        created_at: now().toISOString(),
        ...post,
      };
      stored.push(written);
      return written;
    },
    removeKey() {
      hasKey = false;
    },
    isPost: ({ method, path }) => method === 'POST' && path.startsWith(`${api}/posts/`),
    posts: () => stored.map(({ id }) => id),
    answer(request) {
      const { pathname, searchParams } = new URL(request.path, 'http://site.test');
      if (!pathname.startsWith(`${api}/`)) return { kind: 'answer', status: 404, body: '<html>404</html>' };
      const route = pathname.slice(api.length);
      if (!route.endsWith('/'))
        return { kind: 'answer', status: 301, headers: { Location: `${pathname}/` }, body: '' };
      if (route === '/site/') return site(request);
      const refusal = refusalOfToken(request.headers.authorization, { now: now(), hasKey });
      if (refusal !== null) return refusal;
      switch (`${request.method} ${route}`) {
        case 'GET /posts/':
          return browse(request, searchParams);
        case 'POST /posts/':
          return add(request, searchParams);
        case 'POST /images/upload/':
          return upload(request);
        default:
          return error(404, 'NotFoundError', 'Resource not found');
      }
    },
  };

  function site({ headers }: ReceivedRequest): Behaviour {
    const url = `http://${headers.host}/`;
    return jsonAnswer(200, { site: { title: 'A site', url, version: '5.130', locale: 'en' } });
  }

  function browse(request: ReceivedRequest, query: URLSearchParams): Behaviour {
    const filter = query.get('filter');
    const matching = stored.filter(post => filter === null || matchesFilter(filter, post));
    const limit = Math.min(Number(query.get('limit') ?? 15), 100);
    const fields = query.get('fields')?.split(',') ?? null;
    const shown = matching.toReversed().slice(0, limit);
    const pagination = { page: 1, limit, pages: Math.ceil(matching.length / limit), total: matching.length };
    return jsonAnswer(200, {
      posts: shown.map(post => withFields(shownPost(post, request, fields), fields)),
      meta: { pagination },
    });
  }

  function add(request: ReceivedRequest, query: URLSearchParams): Behaviour {
    const { posts } = decodedText(request.body);
    const sent = Array.isArray(posts) && posts.length === 1 ? Object(posts[0]) : null;
    if (sent === null) return invalidPost('Validation failed for posts.');
    const problem = problemOf(sent);
    if (problem !== null) return invalidPost(problem);
    const { title, html = '', status = 'draft', slug = '', tags = [] } = sent;
    const post = fake.write({
      title: title || '(Untitled)',
      html: query.get('source') === 'html' ? html : '',
      status,
      slug: freeSlug(slug || 'untitled'),
      canonical_url: sent.canonical_url ?? null,
      custom_excerpt: sent.custom_excerpt ?? null,
      feature_image: sent.feature_image ?? null,
      feature_image_alt: sent.feature_image_alt ?? null,
      tags: tags.map((tag: unknown) => (typeof tag === 'string' ? { name: tag } : Object(tag))),
    });
    return jsonAnswer(201, { posts: [shownPost(post, request, null)] });
  }

  function freeSlug(wanted: string): string {
    const isTaken = (slug: string) => stored.some(post => post.slug === slug);
    let slug = wanted;
    for (let suffix = 2; isTaken(slug); suffix++) slug = `${wanted}-${suffix}`;
    return slug;
  }

  function upload(request: ReceivedRequest): Behaviour {
    const text = request.bytes.toString('latin1');
    const part = /filename="([^"]*)"\r\nContent-Type: ([^\r]*)\r\n\r\n([\s\S]*?)\r\n--/.exec(text);
    const [, fileName, mediaType, content] = part ?? [];
    if (fileName === undefined || mediaType === undefined || content === undefined)
      return error(422, 'ValidationError', 'Please select an image.');
    if (!imageTypes.includes(mediaType))
      return error(415, 'UnsupportedMediaTypeError', 'Please select a valid image.');
    const ref = /name="ref"\r\n\r\n([^\r]*)\r\n/.exec(text)?.[1] ?? null;
    images.push({ fileName, mediaType, bytes: Buffer.from(content, 'latin1') });
    const url = `http://${request.headers.host}/content/images/2026/09/${fileName}`;
    return jsonAnswer(201, { images: [{ url, ref }] });
  }

  return fake;
}

/** A draft's address has its uuid in it: without that field it is made, and wrong. */
function shownPost(post: GhostPost, { headers }: ReceivedRequest, fields: readonly string[] | null) {
  const base = `http://${headers.host}`;
  const uuid = fields === null || fields.includes('uuid') ? `${post.uuid}/` : '';
  const url = post.status === 'published' ? `${base}/${post.slug}/` : `${base}/p/${uuid}`;
  return { ...post, url };
}

function withFields(post: object, fields: readonly string[] | null): object {
  if (fields === null) return post;
  return Object.fromEntries(Object.entries(post).filter(([name]) => fields.includes(name)));
}
