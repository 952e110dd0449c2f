import { beforeEach, describe, expect, it } from 'vitest';
import { smallPng } from '../../channels/openChannel.ts';
import type { Role } from './users.ts';

/** A site with one user of each role, called by it, which may have posts already. */
export type WordPressWorld = {
  url: string;
  passwords: Readonly<Record<Role, string>>;
  /** Puts a post into the trash, as its editor does. */
  trash(id: number): Promise<void>;
};

type Options = {
  as?: Role | 'nobody';
  json?: unknown;
  headers?: Record<string, string>;
  body?: Buffer;
};

const posts = '/wp-json/wp/v2/posts';
let slugs = 0;

/**
 * What the channel and its fake take for granted about WordPress. It is asked of the fake at every run and of a real
 * one by `npm run test:servers`: where the two part, one of them is wrong.
 */
export function describeWordPress(name: string, open: () => Promise<WordPressWorld>): void {
  describe(name, () => {
    let world: WordPressWorld;

    beforeEach(async () => {
      world = await open();
    });

    async function ask(method: string, path: string, options: Options = {}) {
      const { as = 'editor', json, headers = {}, body } = options;
      const password = as === 'nobody' ? 'wrong' : world.passwords[as];
      const authorization = `Basic ${Buffer.from(`${as}:${password}`).toString('base64')}`;
      const answer = await fetch(`${world.url}${path}`, {
        method,
        headers: {
          authorization,
          ...(json !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(json !== undefined && { body: JSON.stringify(json) }),
        ...(body !== undefined && { body: new Uint8Array(body) }),
      });
      return { status: answer.status, headers: answer.headers, said: Object(await answer.json()) };
    }

    const post = (as: Role | 'nobody', json: unknown) => ask('POST', posts, { as, json });
    /** One that no other test has. */
    const newSlug = () => {
      slugs += 1;
      return `fact-${slugs}`;
    };
    const slugsIn = (said: { slug: string }[]) => said.map(({ slug }) => slug);

    it('stores the same post twice, under another slug', async () => {
      const slug = newSlug();

      const first = await post('editor', { title: 'A', slug, status: 'publish' });
      const second = await post('editor', { title: 'A', slug, status: 'publish' });

      expect([first, second].map(({ status, said }) => [status, said.slug])).toEqual([
        [201, slug],
        [201, `${slug}-2`],
      ]);
    });

    it.each([
      ['a wrong password to a post', 'nobody', { title: 'x' }, 401, 'rest_cannot_create'],
      ['a subscriber', 'subscriber', { title: 'x' }, 403, 'rest_cannot_create'],
      [
        'a contributor who publishes',
        'contributor',
        { title: 'x', status: 'publish' },
        403,
        'rest_cannot_publish',
      ],
      ['a status that does not exist', 'editor', { title: 'x', status: 'nope' }, 400, 'rest_invalid_param'],
      ['an empty post', 'editor', { status: 'draft' }, 400, 'empty_content'],
    ] as const)('refuses %s', async (_name, as, json, status, code) => {
      const answer = await post(as, json);

      expect(answer).toMatchObject({ status, said: { code, data: { status } } });
    });

    it('says of a wrong password only that nobody is logged in', async () => {
      const me = await ask('GET', '/wp-json/wp/v2/users/me?context=edit', { as: 'nobody' });
      const published = await ask('GET', posts, { as: 'nobody' });
      const any = await ask('GET', `${posts}?status=any`, { as: 'nobody' });

      expect(me).toMatchObject({ status: 401, said: { code: 'rest_not_logged_in' } });
      expect(published.status).toBe(200);
      expect(any).toMatchObject({ status: 400, said: { code: 'rest_invalid_param' } });
      expect(any.said.data.details.status.data.status).toBe(401);
    });

    it('says what each user may do', async () => {
      const rights = ['edit_posts', 'publish_posts', 'upload_files'];
      const me = (as: Role) => ask('GET', '/wp-json/wp/v2/users/me?context=edit', { as });

      const said = await Promise.all((['editor', 'author', 'contributor', 'subscriber'] as const).map(me));

      expect(
        said.map(({ said: { roles, capabilities } }) => [roles, rights.filter(right => capabilities[right])]),
      ).toEqual([
        [['editor'], rights],
        [['author'], rights],
        [['contributor'], ['edit_posts']],
        [['subscriber'], []],
      ]);
    });

    it('ignores categories and pictures that do not exist, and takes its own for a post that names none', async () => {
      const without = await post('author', { title: 'x', status: 'publish' });
      const { status, said } = await post('author', {
        title: 'x',
        status: 'publish',
        categories: [9_999],
        tags: [777],
        featured_media: 99_999,
      });

      expect([status, said.categories, said.tags, said.featured_media]).toEqual([201, [], [], 0]);
      expect(without.said.categories).toEqual([1]);
    });

    it("drops the slug of a contributor's pending post, and keeps that of a draft", async () => {
      const slug = newSlug();

      const pending = await post('contributor', { title: 'x', status: 'pending', slug: newSlug() });
      const draft = await post('contributor', { title: 'x', status: 'draft', slug });

      expect([pending.said.slug, draft.said.slug]).toEqual(['', slug]);
    });

    it('leaves the trash out of any, unless it is asked for, and renames what lies there', async () => {
      const slug = newSlug();
      const { said: written } = await post('editor', { title: 'x', slug, status: 'publish' });
      await world.trash(written.id);

      const find = (status: string) =>
        ask('GET', `${posts}?slug=${slug},${slug}__trashed&status=${status}`).then(({ said }) => said);

      expect(await find('any')).toEqual([]);
      expect(await find('trash')).toMatchObject([{ slug: `${slug}__trashed`, status: 'trash' }]);
      expect(await find('any,trash')).toMatchObject([{ status: 'trash' }]);
    });

    it('counts what it hides: drafts of others, and in edit what the user may not change', async () => {
      const [published, draft] = [newSlug(), newSlug()];
      await post('editor', { title: 'x', slug: published, status: 'publish' });
      await post('editor', { title: 'x', slug: draft, status: 'draft' });
      const path = `${posts}?slug=${published},${draft}&status=any`;

      const view = await ask('GET', path, { as: 'author' });
      const edit = await ask('GET', `${path}&context=edit`, { as: 'author' });

      expect(slugsIn(view.said)).toEqual([published]);
      expect(edit.said).toEqual([]);
      expect([view, edit].map(({ headers }) => headers.get('x-wp-total'))).toEqual(['2', '2']);
    });

    it('typesets what it shows', async () => {
      const slug = newSlug();
      await post('editor', { title: 'It\'s "2x3" ... & more', slug, status: 'publish' });

      const { said } = await ask('GET', `${posts}?slug=${slug}`);

      expect(said[0].title.rendered).toBe('It&#8217;s &#8220;2&#215;3&#8221; &#8230; &#038; more');
    });

    it('searches the text of posts for each term, addresses included', async () => {
      const [slug, word] = [newSlug(), `w${newSlug().slice(5)}w`];
      const content = `<p><a href="https://news.test/${word}/a?x=1&amp;y=2">there</a></p>`;
      await post('editor', { title: 'x', slug, content, status: 'draft' });
      const search = (terms: string) =>
        ask('GET', `${posts}?status=any&search=${encodeURIComponent(terms)}`).then(({ said }) =>
          slugsIn(said),
        );

      expect(await search(`"news.test/${word}/a" "y=2" "x=1"`)).toEqual([slug]);
      expect(await search(`"news.test/${word}/a" "x=3"`)).toEqual([]);
    });

    it('answers the id of a tag that exists, in whatever case', async () => {
      const name = `R&D ${newSlug()}`;

      const made = await ask('POST', '/wp-json/wp/v2/tags', { json: { name } });
      const again = await ask('POST', '/wp-json/wp/v2/tags', {
        as: 'contributor',
        json: { name: name.toLowerCase() },
      });

      expect(made).toMatchObject({ status: 201, said: { name: name.replace('&', '&amp;') } });
      expect(again).toMatchObject({ status: 400, said: { code: 'term_exists' } });
      expect(again.said.data.term_id).toBe(made.said.id);
    });

    it.each([
      ['a picture', 'author', 'image/png', 201, undefined],
      ['a contributor', 'contributor', 'image/png', 403, 'rest_cannot_create'],
      [
        'a file type that is forbidden, with a 500',
        'author',
        'image/svg+xml',
        500,
        'rest_upload_sideload_error',
      ],
    ] as const)('takes or refuses the upload of %s', async (_name, as, type, status, code) => {
      const slug = newSlug();
      const ending = type === 'image/png' ? 'png' : 'svg';
      const headers = {
        'content-type': type,
        'content-disposition': `attachment; filename="${slug}.${ending}"`,
      };

      const upload = { as, headers, body: smallPng };
      const answer = await ask('POST', '/wp-json/wp/v2/media?alt_text=A%20%26%20b', upload);
      const found = await ask('GET', `/wp-json/wp/v2/media?slug=${slug}`);

      expect([answer.status, answer.said.code]).toEqual([status, code]);
      expect(slugsIn(found.said)).toEqual(status === 201 ? [slug] : []);
      if (status === 201) expect(answer.said).toMatchObject({ slug, alt_text: 'A & b' });
    });

    it('has the same API as a parameter of its start page', async () => {
      const { status, said } = await ask('GET', '/?rest_route=/wp/v2/users/me&context=edit');

      expect([status, said.roles]).toEqual([200, ['editor']]);
    });

    it('offers application passwords in its index, to anybody', async () => {
      const { status, said } = await ask('GET', '/wp-json/?_fields=authentication', { as: 'nobody' });

      expect([status, Object.keys(said.authentication)]).toEqual([200, ['application-passwords']]);
    });
  });
}
