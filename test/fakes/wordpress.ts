import type { Behaviour, ReceivedRequest } from '../support/fakeReceiver.ts';
import { jsonAnswer, type ProtocolFake } from '../support/protocolFake.ts';
import { error, page } from './wordpress/answers.ts';
import { type ListQuery, listPosts, type StoredPost, shownPost, uniqueSlug } from './wordpress/posts.ts';
import { rights, siteUsers, type User, userOf } from './wordpress/users.ts';

export { firewall, maintenance } from './wordpress/answers.ts';
export { wordpressPasswords } from './wordpress/users.ts';

export type WordPressOptions = {
  /** What the site's clock says. Default: the instant of the tests' gate. */
  now?: () => Date;
  /** Plain permalinks: `/wp-json` is a page that does not exist, or one whose name lacks a slash. */
  plainPermalinks?: 'not_found' | 'redirect';
  /** As without HTTPS: nobody can log in, and the index does not offer it. */
  takesNoPasswords?: boolean;
};

type Term = { id: number; name: string; slug: string };

export type FakeWordPress = ProtocolFake & {
  users: readonly User[];
  stored: StoredPost[];
  categories: Term[];
  tags: Term[];
  media: { id: number; slug: string; altText: string; mediaType: string; bytes: Buffer }[];
  /** Stores a post as if somebody had written it there. */
  write(post: Partial<StoredPost>): StoredPost;
  revoke(name: string): void;
};

const statuses = ['publish', 'future', 'draft', 'pending', 'private'];
const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/**
 * WordPress's REST API as it was seen on 6.1.9 and 6.5: no idempotency, unknown categories and pictures ignored
 * in silence, slugs that are taken or lost, a wrong password that is no error of its own.
 */
export function fakeWordPress(options: WordPressOptions = {}): FakeWordPress {
  const { now = () => new Date('2026-09-07T08:30:01.000Z') } = options;
  const users = siteUsers();
  const stored: StoredPost[] = [];
  const categories: Term[] = [
    { id: 1, name: 'Uncategorized', slug: 'uncategorized' },
    { id: 7, name: 'R&amp;D', slug: 'rd' },
    { id: 8, name: 'News', slug: 'news' },
  ];
  const tags: Term[] = [];
  const media: FakeWordPress['media'] = [];
  let nextId = 10;

  const fake: FakeWordPress = {
    users,
    stored,
    categories,
    tags,
    media,
    write(post) {
      const id = nextId++;
      const written: StoredPost = {
        id,
        slug: `post-${id}`,
        status: 'publish',
        author: 2,
        title: 'A title',
        content: '',
        excerpt: '',
        date: now(),
        ...post,
      };
      stored.push(written);
      return written;
    },
    revoke(name) {
      for (const user of users) if (user.name === name) user.password = ' revoked ';
    },
    isPost: request => request.method === 'POST' && routeOf(request)?.route === '/wp/v2/posts',
    posts: () => stored.filter(({ status }) => status !== 'trash').map(({ id }) => String(id)),
    answer(request) {
      const asked = routeOf(request);
      if (asked === null) return page(404, 'Page not found');
      if (asked.isFolder && options.plainPermalinks === 'not_found') return page(404, 'Page not found');
      if (asked.isFolder && options.plainPermalinks === 'redirect')
        return page(301, 'Moved', { Location: `http://${request.headers.host}/wp-json${asked.route}/` });
      const { route, query } = asked;
      const user = options.takesNoPasswords ? null : userOf(request, users);
      switch (`${request.method} ${route}`) {
        case 'GET /':
          return index(request);
        case 'GET /wp/v2/users/me':
          return me(user, query);
        case 'GET /wp/v2/posts':
          return list(request, user, query);
        case 'POST /wp/v2/posts':
          return create(request, user);
        case 'GET /wp/v2/categories':
          return jsonAnswer(200, query.get('page') === '1' || !query.has('page') ? categories : []);
        case 'POST /wp/v2/tags':
          return createTag(request, user);
        case 'GET /wp/v2/media':
          return jsonAnswer(
            200,
            media.filter(({ slug }) => slug === query.get('slug')),
          );
        case 'POST /wp/v2/media':
          return upload(request, user, query);
        default:
          return error(404, 'rest_no_route', 'No route was found matching the URL and request method.');
      }
    },
  };

  function index(request: ReceivedRequest): Behaviour {
    const authorization = `http://${request.headers.host}/wp-admin/authorize-application.php`;
    const offered = { 'application-passwords': { endpoints: { authorization } } };
    return jsonAnswer(200, { name: 'A site', authentication: options.takesNoPasswords ? [] : offered });
  }

  function me(user: User | null, query: URLSearchParams): Behaviour {
    if (user === null) return error(401, 'rest_not_logged_in', 'You are not currently logged in.');
    const { id, name, role } = user;
    if (query.get('context') !== 'edit') return jsonAnswer(200, { id, name, slug: name });
    const capabilities = Object.fromEntries([...rights[role], role].map(right => [right, true]));
    return jsonAnswer(200, { id, username: name, name, slug: name, roles: [role], capabilities });
  }

  function list(request: ReceivedRequest, user: User | null, query: URLSearchParams): Behaviour {
    const may = (right: string) => user !== null && rights[user.role].includes(right);
    const asked: ListQuery = Object.fromEntries(query);
    if (asked.status !== undefined && asked.status !== 'publish' && !may('edit_posts')) {
      const said = { code: 'rest_forbidden_status', message: 'Status is forbidden.' };
      const details = { status: { ...said, data: { status: user === null ? 401 : 403 } } };
      const data = { status: 400, params: { status: 'Status is forbidden.' }, details };
      return jsonAnswer(400, {
        code: 'rest_invalid_param',
        message: 'Invalid parameter(s): status',
        data,
      });
    }
    const { total, pages, page: found } = listPosts(stored, asked);
    if (Number(asked.page ?? 1) > pages && total > 0)
      return error(400, 'rest_post_invalid_page_number', 'The page number requested is larger …');
    // What the user may not read, or in `edit` not change, is missing from the list and counted all the same.
    const mayChange = (post: StoredPost) =>
      may('edit_others_posts') ||
      (post.author === user?.id && (post.status !== 'publish' || may('publish_posts')));
    const mayRead = (post: StoredPost) =>
      post.status === 'publish' || post.author === user?.id || may('edit_others_posts');
    const shown = found.filter(post => mayRead(post) && (asked.context !== 'edit' || mayChange(post)));
    const base = `http://${request.headers.host}`;
    return jsonAnswer(
      200,
      shown.map(post => shownPost(post, { base, context: asked.context ?? 'view' })),
      {
        'X-WP-Total': String(total),
        'X-WP-TotalPages': String(pages),
      },
    );
  }

  function create(request: ReceivedRequest, user: User | null): Behaviour {
    const cannot = 'Sorry, you are not allowed to create posts as this user.';
    const may = (right: string) => user !== null && rights[user.role].includes(right);
    if (user === null) return error(401, 'rest_cannot_create', cannot);
    if (!may('edit_posts')) return error(403, 'rest_cannot_create', cannot);
    const json = jsonOf(request);
    if (json === null) return error(400, 'rest_invalid_json', 'Invalid JSON body passed.');
    const { title = '', content = '', excerpt = '', status = 'draft', slug = '' } = json;
    if (!statuses.includes(String(status)))
      return error(400, 'rest_invalid_param', 'Invalid parameter(s): status');
    if (['publish', 'future', 'private'].includes(String(status)) && !may('publish_posts'))
      return error(
        403,
        'rest_cannot_publish',
        'Sorry, you are not allowed to publish posts in this post type.',
      );
    if (`${title}${content}${excerpt}` === '')
      return error(400, 'empty_content', 'Content, title, and excerpt are empty.');
    const losesSlug = status === 'pending' && !may('publish_posts');
    const wanted = String(slug) || (status === 'publish' ? `post-${nextId}` : '');
    const post = fake.write({
      slug: losesSlug ? '' : uniqueSlug(wanted, stored),
      status: String(status),
      author: user.id,
      title: String(title),
      content: String(content),
      excerpt: String(excerpt),
      // Those that do not exist are left out, and nobody is told; the default is for posts that name none.
      ...(json.categories !== undefined && {
        categories: numbers(json.categories).filter(id => categories.some(each => each.id === id)),
      }),
      tags: numbers(json.tags).filter(id => tags.some(each => each.id === id)),
      featuredMedia: media.find(({ id }) => id === json.featured_media)?.id ?? 0,
    });
    const base = `http://${request.headers.host}`;
    const location = { Location: `${base}/wp-json/wp/v2/posts/${post.id}` };
    return jsonAnswer(201, shownPost(post, { base, context: 'edit' }), location);
  }

  function createTag(request: ReceivedRequest, user: User | null): Behaviour {
    const cannot = 'Sorry, you are not allowed to create terms in this taxonomy.';
    if (user === null) return error(401, 'rest_cannot_create', cannot);
    if (!rights[user.role].includes('edit_posts')) return error(403, 'rest_cannot_create', cannot);
    const name = String(jsonOf(request)?.name ?? '').trim();
    if (name === '') return error(500, 'empty_term_name', 'A name is required for this term.');
    const escaped = name.replaceAll('&', '&amp;');
    const exists = tags.find(each => each.name.toLowerCase() === escaped.toLowerCase());
    const message = 'A term with the name provided already exists in this taxonomy.';
    if (exists !== undefined)
      return jsonAnswer(400, { code: 'term_exists', message, data: { status: 400, term_id: exists.id } });
    const tag = { id: nextId++, name: escaped, slug: name.toLowerCase().replace(/[^a-z0-9]+/g, '-') };
    tags.push(tag);
    return jsonAnswer(201, tag);
  }

  function upload(request: ReceivedRequest, user: User | null, query: URLSearchParams): Behaviour {
    const cannot = 'Sorry, you are not allowed to create posts as this user.';
    if (user === null) return error(401, 'rest_cannot_create', cannot);
    if (!rights[user.role].includes('upload_files')) return error(403, 'rest_cannot_create', cannot);
    const mediaType = request.headers['content-type'] ?? '';
    const fileName = /filename="([^"]+)"/.exec(request.headers['content-disposition'] ?? '')?.[1];
    if (request.bytes.length === 0) return error(400, 'rest_upload_no_data', 'No data supplied.');
    if (fileName === undefined)
      return error(400, 'rest_upload_no_content_disposition', 'No Content-Disposition supplied.');
    if (!imageTypes.includes(mediaType))
      return error(500, 'rest_upload_sideload_error', 'Sorry, you are not allowed to upload this file type.');
    const slug = fileName.replace(/\.\w+$/, '');
    const id = nextId++;
    media.push({ id, slug, altText: query.get('alt_text') ?? '', mediaType, bytes: request.bytes });
    return jsonAnswer(201, { id, slug, alt_text: query.get('alt_text') ?? '' });
  }

  return fake;
}

/** Both forms of an address: `/wp-json/…` and `/?rest_route=/…`. Null: no request to the REST API. */
function routeOf({ path }: ReceivedRequest) {
  const { pathname, searchParams: query } = new URL(path, 'http://site.test');
  const folder = /^\/wp-json(\/.*)?$/.exec(pathname);
  if (folder) return { route: folder[1] ?? '/', query, isFolder: true };
  const route = query.get('rest_route');
  return pathname === '/' && route !== null ? { route, query, isFolder: false } : null;
}

function jsonOf({ body }: ReceivedRequest): Record<string, unknown> | null {
  try {
    return Object(JSON.parse(body));
  } catch {
    return null;
  }
}

function numbers(value: unknown): number[] {
  return Array.isArray(value) ? value.map(Number) : [];
}
