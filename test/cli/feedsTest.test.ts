import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rssOf } from '../ingestion/fakeFeeds.ts';
import { useDatabase } from '../support/database.ts';
import { createFeed, createWorkspace } from '../support/factories.ts';
import { type Behaviour, type FakeReceiver, openFakeReceiver } from '../support/fakeReceiver.ts';
import { useHeadway } from '../support/headway.ts';

const database = useDatabase();
const { headway } = useHeadway({ databaseUrl: () => database.url });
const one = { title: 'One', link: 'https://blog.test/1', guid: 'g1', date: 'Mon, 07 Sep 2026 09:50:00 GMT' };
const two = { title: 'Two', link: 'https://blog.test/2', guid: 'g2', date: '2026-09-07 13:25' };

let receiver: FakeReceiver;
let url = '';

beforeEach(async () => {
  receiver = await openFakeReceiver();
  url = `${receiver.url}/feed.xml`;
});

afterEach(() => receiver.close());

describe('headway feeds test', () => {
  it('shows what was fetched, how it was read, and what is in it, as JSON', async () => {
    await createWorkspace(database.db, { timezone: 'Europe/Berlin' });
    receiver.behave(served(rssOf([two, one]), { ETag: '"1"' }));

    const ran = await headway(['feeds', 'test', url, '--json']);

    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ran.json()).toEqual({
      format: 'rss',
      encoding: 'utf-8',
      title: 'Blog',
      items: [
        {
          title: 'Two',
          url: 'https://blog.test/2',
          guid: 'g2',
          publishedAt: '2026-09-07T11:25:00.000Z',
          isNew: true,
        },
        {
          title: 'One',
          url: 'https://blog.test/1',
          guid: 'g1',
          publishedAt: '2026-09-07T09:50:00.000Z',
          isNew: true,
        },
      ],
      warnings: ['dates that name no offset, read in Europe/Berlin: 1'],
      fetched: { url, status: 200, movedTo: null, bytes: expect.any(Number), contentType: 'text/xml' },
      feed: null,
    });
  });

  it('shows what is left out at its place', async () => {
    await createWorkspace(database.db);
    receiver.behave(served(rssOf([one, { guid: 'silent' }, two])));

    const [json, table] = [
      await headway(['feeds', 'test', url, '--json']),
      await headway(['feeds', 'test', url]),
    ];

    expect(json.json().items.map((item: { guid: string }) => item.guid)).toEqual(['g1', 'silent', 'g2']);
    expect(json.json().items[1]).toEqual({
      title: null,
      url: null,
      guid: 'silent',
      publishedAt: null,
      isNew: false,
    });
    expect(table.stdout).toContain('Items: 3, new: 2,');
    expect(table.stdout).toMatch(/^left out +- +- +silent$/m);
  });

  it('says what would be new to a feed of the workspace, and writes nothing', async () => {
    const workspaceId = await createWorkspace(database.db);
    await createFeed(database.db, workspaceId, { name: 'blog', url });
    receiver.behave(served(rssOf([one])));
    await headway(['ingest']);
    receiver.behave(served(rssOf([{ ...two, title: 'Two, and more' }, one, one])));
    const before = await stored();

    const json = await headway(['feeds', 'test', url, '--json']);
    const text = await headway(['feeds', 'test', url]);

    const items = json
      .json()
      .items.map(({ title, isNew }: { title: string; isNew: boolean }) => [title, isNew]);
    expect(json.json().feed).toBe('blog');
    expect(items).toEqual([
      ['Two, and more', true],
      ['One', false],
      ['One', false],
    ]);
    expect(text).toMatchObject({ exitCode: 0, stderr: '' });
    expect(text.stdout).toContain(`Fetched ${url}: 200, `);
    expect(text.stdout).toContain('Read as rss, utf-8: Blog\n');
    expect(text.stdout).toContain('Items: 3, new: 1, for the feed blog\n');
    expect(text.stdout).toMatch(/^! items that are another one again: 1$/m);
    expect(text.stdout).toMatch(/^new {4}2026-09-07T13:25:00Z {2}Two, and more {2}https:\/\/blog.test\/2$/m);
    expect(text.stdout).toMatch(/^known {2}2026-09-07T09:50:00Z {2}One /m);
    expect(await stored()).toEqual(before);
  });

  it('needs no workspace, and follows redirects', async () => {
    receiver.behave(({ path }) =>
      path === '/feed.xml' ? redirect(`${receiver.url}/new.xml`) : served(rssOf([one])),
    );

    const json = await headway(['feeds', 'test', url, '--json']);
    const text = await headway(['feeds', 'test', url]);

    const movedTo = `${receiver.url}/new.xml`;
    expect(json.json()).toMatchObject({ title: 'Blog', fetched: { url: movedTo, movedTo } });
    expect(json.json().warnings).toContain(`it has moved for good to ${movedTo}`);
    expect(text.stdout).toContain(`Fetched ${movedTo} (asked for ${url}): 200`);
  });

  it.each([
    ['a web page', served('<html><body>Hello</body></html>'), 'a web page, not a feed'],
    ['an error', { kind: 'answer', status: 404 }, 'the server answered 404'],
    ['half of a feed', served('<rss><channel>'), 'the document ends before </rss>'],
    ['a broken answer', { kind: 'reset' }, 'connection_reset: '],
  ] as const)('fails for %s, and says why', async (_, behaviour, error) => {
    receiver.behave(behaviour);

    const json = await headway(['feeds', 'test', url, '--json']);
    const text = await headway(['feeds', 'test', url]);

    expect(json.exitCode).toBe(1);
    expect(json.json()).toEqual({ error: expect.stringContaining(error) });
    expect(text).toMatchObject({ exitCode: 1, stdout: '' });
    expect(text.stderr).toContain(`No feed could be read from ${url}: ${error}`);
  });

  it('refuses what is not public, and what is no URL', async () => {
    const refused = await headway(['feeds', 'test', 'http://169.254.169.254/', '--json']);
    const invalid = await headway(['feeds', 'test', 'blog', '--json']);

    expect(refused.json()).toEqual({ error: expect.stringContaining('address_refused') });
    expect(invalid.json()).toEqual({ error: 'invalid_url: not an http or https URL' });
    expect([refused.exitCode, invalid.exitCode]).toEqual([1, 1]);
  });
});

async function stored() {
  const tables = ['feeds', 'articles', 'article_keys', 'route_articles', 'alerts', 'audit_log'];
  return Promise.all(tables.map(table => database.db(table).select()));
}

function served(body: string, headers: Record<string, string> = {}): Behaviour {
  return { kind: 'answer', status: 200, headers: { 'Content-Type': 'text/xml', ...headers }, body };
}

function redirect(location: string): Behaviour {
  return { kind: 'answer', status: 301, headers: { Location: location } };
}
