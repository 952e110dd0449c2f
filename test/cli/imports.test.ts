import { beforeEach, describe, expect, it } from 'vitest';
import { createRoute } from '../ingestion/scene.ts';
import { useDatabase } from '../support/database.ts';
import { createChannel, createFeed, createWorkspace } from '../support/factories.ts';
import { useHeadway } from '../support/headway.ts';
import { until } from '../support/until.ts';

const database = useDatabase();
const program = useHeadway({ databaseUrl: () => database.url });
const { headway, startHeadway } = program;

const table = 'title,url\nOne,https://a.test/1\nTwo,no-url\nThree,https://a.test/3\n';
const count = 20_000;
const large = `title,url,summary\n${Array.from({ length: count }, (_, n) => `Title ${n},https://a.test/${n},${'Some text. '.repeat(20)}\n`).join('')}`;

let workspaceId = 0;

beforeEach(async () => {
  const { db } = database;
  workspaceId = await createWorkspace(db, { name: 'default', last_tick_at: new Date(), paused: true });
  const channelId = await createChannel(db, workspaceId, { name: 'outbox', platform: 'files' });
  const feedId = await createFeed(db, workspaceId, { name: 'blog', paused: true });
  await createRoute(db, { workspaceId, feedId, channelId }, { approval: 'manual' });
});

const imports = () => database.db('imports').orderBy('id');
const articles = async () => Number((await database.db('articles').count().first())?.count);

describe('headway import', () => {
  it('imports a table, reports its bad rows, and adds nothing the second time', async () => {
    const file = await program.write('links.csv', table);

    const first = await headway(['import', 'csv', file, '--feed', 'blog']);
    const second = await headway(['import', 'csv', file, '--feed', 'blog', '--json']);

    expect(first).toMatchObject({ exitCode: 1, stderr: '1 of 3 rows could not be imported.\n' });
    expect(first.stdout).toContain('links.csv into the feed blog\n');
    expect(first.stdout).toContain('  2 new articles, 1 that could not be imported\n  2 articles queued\n');
    expect(first.stdout).toContain('  row 3: "no-url" is no http or https URL\n');
    expect(second.exitCode).toBe(1);
    expect(second.json()).toMatchObject({
      import: {
        kind: 'csv',
        feed: 'blog',
        source: 'links.csv',
        status: 'done',
        rows: { total: 3, done: 3, added: 0, known: 2, bad: 1 },
        queued: 0,
        problems: [{ row: 3, reason: '"no-url" is no http or https URL' }],
      },
      leftOut: {},
      notes: ['columns read: title from "title", url from "url"'],
    });
    expect(await articles()).toBe(2);
  });

  it('ends with 0 where every row got in', async () => {
    const file = await program.write('good.csv', 'Headline\nOne\n');

    const { exitCode, stderr } = await headway([
      'import',
      'csv',
      file,
      '--feed',
      'blog',
      '--map',
      'title=Headline',
    ]);

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  });

  it('looks at a file without changing anything', async () => {
    const file = await program.write('links.csv', table);

    const look = await headway(['import', 'csv', file, '--feed', 'blog', '--dry-run', '--json']);

    expect(look.exitCode).toBe(0);
    expect(look.json()).toMatchObject({
      rows: { total: 3, bad: 1 },
      sample: [{ title: 'One', url: 'https://a.test/1' }, { title: 'Three' }],
    });
    expect(await imports()).toEqual([]);
  });

  it('makes a feed for articles that come from none, which export and apply then know', async () => {
    const file = await program.write('links.csv', table);

    const made = await headway(['import', 'csv', file, '--feed', 'picks', '--channel', 'outbox']);
    const again = await headway(['import', 'csv', file, '--feed', 'picks']);

    expect(made.stdout).toContain('2 articles queued');
    expect(again.stdout).toContain('0 new articles, 2 there already');
    expect(await database.db('feeds').where({ name: 'picks' })).toMatchObject([
      { paused: true, url: 'https://import.invalid/picks' },
    ]);
    expect(await database.db('route_articles').pluck('approval_status')).toEqual(['pending', 'pending']);
    const opml = await headway(['export', 'opml']);
    expect(opml.stdout).toContain('text="blog"');
    expect(opml.stdout).not.toContain('picks');
  });

  it('refuses what would lead nowhere, and changes nothing', async () => {
    const { db } = database;
    await createFeed(db, workspaceId, { name: 'lonely' });
    const file = await program.write('links.csv', table);
    const broken = await program.write('broken.csv', 'a,b\n1,2\n');
    const run = (...args: string[]) => headway(['import', 'csv', ...args]);

    const answers = await Promise.all([
      run(file, '--feed', 'missing'),
      run(file, '--feed', 'lonely'),
      run(file, '--feed', 'blog', '--channel', 'outbox'),
      run(file, '--feed', 'picks', '--channel', 'outbx'),
      run(file),
      run('/nowhere.csv', '--feed', 'blog'),
      run(broken, '--feed', 'picks', '--channel', 'outbox'),
      run(file, '--feed', 'blog', '--map', 'colour=Red'),
    ]);

    expect(answers.map(({ exitCode }) => exitCode)).toEqual([1, 1, 2, 1, 2, 2, 1, 2]);
    const said = answers.map(({ stderr }) => stderr);
    expect(said[0]).toContain('There is no feed "missing"');
    expect(said[1]).toContain('No route leads from the feed "lonely"');
    expect(said[2]).toContain('its routes say where its articles go');
    expect(said[3]).toContain('did you mean "outbox"?');
    expect(said[4]).toContain("required option '--feed <name>'");
    expect(said[5]).toContain('/nowhere.csv cannot be read');
    expect(said[6]).toContain('broken.csv cannot be imported: no column holds a title or a URL');
    expect(said[7]).toContain('Allowed: one of title, url');
    expect(await imports()).toEqual([]);
    expect(await db('feeds').where({ name: 'picks' })).toEqual([]);
  });

  it('adds the feeds of an OPML file, and writes one that another can read', async () => {
    const outline = (name: string, url: string) => `<outline type="rss" text="${name}" xmlUrl="${url}"/>`;
    const file = await program.write(
      'feeds.opml',
      `<opml version="2.0"><body>${outline('A &amp; b', 'https://a.test/')}${outline('Mail', 'mailto:x@y')}</body></opml>`,
    );

    const done = await headway(['import', 'opml', file, '--every', '1h', '--first-import', 'last: 3']);
    const opml = await headway(['export', 'opml']);
    const json = await headway(['export', 'opml', '--json', '--workspace', 'default']);
    const config = await headway(['export']);

    expect(done).toMatchObject({ exitCode: 1, stderr: '1 of 2 rows could not be imported.\n' });
    expect(done.stdout).toContain('1 new feed, 1 that could not be imported');
    expect(done.stdout).toContain('"headway export" prints a config.yaml that names them');
    expect(opml.stdout).toContain(
      '<outline type="rss" text="A &amp; b" title="A &amp; b" xmlUrl="https://a.test/"/>',
    );
    expect(json.json().feeds).toContainEqual({ name: 'A & b', url: 'https://a.test/' });
    expect(config.stdout).toContain(
      'name: A & b\n    url: https://a.test/\n    every: 1h\n    firstImport:\n      last: 3',
    );
  });

  it('leaves nothing behind where it is killed while it reads the file', async () => {
    const file = await program.write('large.csv', large);
    const command = startHeadway(`import csv ${file} --feed blog`);
    await until(async () => {
      const { rows } = await database.db.raw(
        "select from pg_stat_activity where datname = current_database() and query like '%into import_rows%' and pid <> pg_backend_pid()",
      );
      return rows.length > 0;
    });

    command.signal('SIGKILL');
    await command.ended();
    await until(async () => (await sessions()) === 0);

    expect([await imports(), await database.db('import_rows'), await articles()]).toEqual([[], [], 0]);
  });

  it('is finished by a worker where it is killed while it puts rows in', async () => {
    const file = await program.write('large.csv', large);
    const command = startHeadway(`import csv ${file} --feed blog`);
    await midway();

    command.signal('SIGKILL');
    await command.ended();
    const [left] = await imports();
    const status = await headway(['status', '--json']);
    const worker = startHeadway('work');
    await worker.logged('started');
    await until(async () => (await imports())[0]?.status === 'done', { timeoutMs: 60_000 });
    worker.signal('SIGTERM');
    await worker.ended();

    expect(left).toMatchObject({ status: 'running' });
    expect(status.json().workspaces[0].imports).toMatchObject([
      { id: left.id, status: 'running', rows: { total: count } },
    ]);
    expect(await imports()).toMatchObject([
      { status: 'done', rows_done: count, rows_added: count, interruptions: 0, last_error: null },
    ]);
    expect(await articles()).toBe(count);
    expect(worker.stderr).toContain('import recovered');
  }, 120_000);

  it('gives back what is left where it is told to stop, and goes on at a word', async () => {
    const file = await program.write('large.csv', large);
    const command = startHeadway(`import csv ${file} --feed blog`);
    await midway();

    command.signal('SIGTERM');
    const { exitCode } = await command.ended();
    const [left] = await imports();
    const resumed = await headway(['import', 'resume', '--json']);
    const list = await headway(['import', 'list', '--json']);

    expect(exitCode).toBe(1);
    expect(command.stderr).toMatch(
      /^Interrupted after \d+ of 20000 rows: a running "headway start" or "headway work" goes on/,
    );
    expect(left).toMatchObject({ status: 'pending', interruptions: 0, last_error: null });
    expect(left.rows_done).toBeGreaterThan(0);
    expect(resumed.exitCode).toBe(0);
    expect(list.json()).toMatchObject([
      { status: 'done', rows: { total: count, done: count, added: count } },
    ]);
    expect(await articles()).toBe(count);
  }, 120_000);

  it('tries a failed one again at the word of a person, with an entry in the audit log', async () => {
    const file = await program.write('links.csv', table);
    await headway(['import', 'csv', file, '--feed', 'blog']);
    const [done] = await imports();
    const failing = {
      status: 'failed',
      interruptions: 3,
      last_error: 'no room',
      finished_at: new Date(),
      rows_total: 5,
    };
    await database.db('imports').where({ id: done.id }).update(failing);
    const row = { import_id: done.id, sort_at: 'infinity', record: '{"nothing": true}', bytes: 17 };
    await database.db('import_rows').insert([8, 9].map(row_number => ({ ...row, row_number })));

    const refused = await headway(['import', 'retry', '999999']);
    const retried = await headway(['import', 'retry', String(done.id)]);
    const again = await headway(['import', 'retry', String(done.id)]);

    expect(refused).toMatchObject({ exitCode: 1, stderr: 'There is no import 999999.\n' });
    expect(retried.stdout).toContain('3 that could not be imported');
    expect(again).toMatchObject({ exitCode: 1, stderr: `Import ${done.id} did not fail: it is done.\n` });
    expect(await database.db('audit_log').where({ subject_type: 'import' })).toMatchObject([
      { actor: 'cli', action: 'retry', subject_id: done.id },
    ]);
  });

  it('needs little memory, however large the file', async () => {
    const row = `Title,https://a.test/N,${'Some text. '.repeat(300)}\n`;
    const rows = Array.from({ length: 30_000 }, (_, n) => row.replace('N', String(n)));
    const file = await program.write('huge.csv', `title,url,summary\n${rows.join('')}`);

    const look = await headway(['import', 'csv', file, '--feed', 'blog', '--json', '--dry-run'], {
      env: { NODE_OPTIONS: '--max-old-space-size=80' },
    });
    const done = await headway(['import', 'csv', file, '--feed', 'blog', '--json', '--baseline'], {
      env: { NODE_OPTIONS: '--max-old-space-size=80' },
    });

    expect(look.json().rows).toEqual({ total: 30_000, bad: 0 });
    expect(done.json().import.rows).toMatchObject({ total: 30_000, added: 30_000 });
  }, 120_000);
});

/** Waits until some of the rows are in, and not all. */
async function midway(): Promise<void> {
  await until(
    async () => {
      const [found] = await imports();
      return found && found.rows_done > 0 && found.rows_done < count;
    },
    { timeoutMs: 30_000 },
  );
}

/** Of others than this test. */
async function sessions(): Promise<number> {
  const { rows } = await database.db.raw(
    "select from pg_stat_activity where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid() and state <> 'idle'",
  );
  return rows.length;
}
