import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeMastodon, type MastodonFake } from '../fakes/mastodon.ts';
import { useDatabase } from '../support/database.ts';
import { createFeed, createRouteArticle } from '../support/factories.ts';
import { useHeadway } from '../support/headway.ts';
import { jsonAnswer, type OpenFake, openProtocolFake } from '../support/protocolFake.ts';

const database = useDatabase();
const { headway, write } = useHeadway({ databaseUrl: () => database.url });
const env = { TOKEN: 'hunter2-token', HOOK: 'hunter2-hook' };

let fake: MastodonFake;
let server: OpenFake;

beforeEach(async () => {
  fake = fakeMastodon({ token: env.TOKEN, now: () => new Date('2026-11-30T10:00:00Z') });
  server = await openProtocolFake(fake);
});

afterEach(() => server.close());

const config = () => `
workspaces:
  - { name: default }
accounts:
  - { name: bot, platform: mastodon, instance: "${server.url}", username: bot, token: "\${TOKEN}" }
  - { name: spare, platform: webhook, secret: "\${HOOK}" }
channels:
  - { name: social, platform: mastodon, account: bot }
  - { name: hook, platform: webhook, url: "${server.url}/in", secret: "\${HOOK}" }
`;

/** Applies the configuration and returns the id of its workspace. */
async function apply(): Promise<number> {
  const ran = await headway(['apply', await write('config.yaml', config())], { env });
  expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
  return (await database.db('workspaces').first()).id;
}

const channelId = async (name: string) => (await database.db('channels').where({ name }).first()).id;
const needAttention = { status: 'needs_attention', hold_reason: 'unauthorized', hold_detail: 'HTTP 401: no' };
const account = async () => database.db('accounts').where({ name: 'bot' }).first();

describe('headway accounts list', () => {
  it('shows each with its state and its channels, and no secret', async () => {
    await apply();
    await headway(['accounts', 'test', 'bot']);
    await database
      .db('accounts')
      .where({ name: 'spare' })
      .update({
        hold_reason: 'rate_limited',
        hold_detail: 'HTTP 429',
        held_until: new Date('2099-01-01T00:00:00Z'),
      });

    const [json, table] = await Promise.all([
      headway(['accounts', 'list', '--json']),
      headway(['accounts', 'list']),
    ]);

    expect(json).toMatchObject({ exitCode: 0, stderr: '' });
    expect(json.json()).toEqual([
      {
        name: 'bot',
        platform: 'mastodon',
        instance: server.url,
        username: 'bot',
        status: 'active',
        state: 'active',
        holdReason: null,
        holdDetail: null,
        heldUntil: null,
        hasSession: true,
        sessionExpiresAt: expect.stringMatching(/Z$/),
        channels: ['social'],
      },
      {
        name: 'spare',
        platform: 'webhook',
        instance: '',
        username: null,
        status: 'active',
        state: 'held',
        holdReason: 'rate_limited',
        holdDetail: 'HTTP 429',
        heldUntil: '2099-01-01T00:00:00.000Z',
        hasSession: false,
        sessionExpiresAt: null,
        channels: [],
      },
    ]);
    const [head, bot, spare] = table.stdout.split('\n');
    expect(head).toMatch(/^ACCOUNT +PLATFORM +INSTANCE +USER +STATE +UNTIL +CHANNELS +DETAIL$/);
    expect(bot).toMatch(/^bot +mastodon +http:\S+ +bot +active +- +social$/);
    expect(spare).toMatch(/^spare +webhook +- +- +held +2099-01-01T00:00:00Z +- +HTTP 429$/);
  });

  it('says what to do where there is none, and which one a workspace has not', async () => {
    await headway(['apply', await write('none.yaml', 'workspaces:\n  - { name: default }\n')]);

    const [list, test] = await Promise.all([
      headway(['accounts', 'list']),
      headway(['accounts', 'test', 'bot']),
    ]);

    expect(list).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('headway apply FILE') });
    expect(test).toMatchObject({ exitCode: 1, stdout: '' });
    expect(test.stderr).toBe('There is no account "bot": this workspace has none.\n');
  });
});

describe('headway accounts test', () => {
  it('logs in and posts nothing', async () => {
    await apply();

    const [json, text] = [
      await headway(['accounts', 'test', 'bot', '--json']),
      await headway(['accounts', 'test', 'bot']),
    ];

    expect(json).toMatchObject({ exitCode: 0, stderr: '' });
    expect(json.json()).toEqual({ account: 'bot', isUsable: true, status: 'active', detail: null });
    expect(text).toMatchObject({ exitCode: 0, stdout: 'Account bot can log in.\n', stderr: '' });
    expect(server.receiver.requests.map(({ method }) => method)).not.toContain('POST');
    expect((await account()).session_revision).toBe(2);
  });

  it('fails where the credentials are refused, in the words of the other side', async () => {
    await apply();
    fake.token = 'another';

    const [json, text] = [
      await headway(['accounts', 'test', 'bot', '--json']),
      await headway(['accounts', 'test', 'bot']),
    ];

    expect(json).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('HTTP 401') });
    expect(json.json()).toMatchObject({ isUsable: false, detail: expect.stringContaining('HTTP 401') });
    expect(text).toMatchObject({ exitCode: 1, stdout: '' });
    expect(text.stderr).toMatch(/^Account bot cannot be used: HTTP 401: .*\n$/);
    expect((await account()).status).toBe('active');
  });

  it('says how to go on where the account needed attention', async () => {
    await apply();
    await database.db('accounts').where({ name: 'bot' }).update(needAttention);

    const ran = await headway(['accounts', 'test', 'bot']);

    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ran.stdout).toContain('Run "headway accounts reconnect bot"');
    expect((await account()).status).toBe('needs_attention');
  });

  it('has nothing to do on a platform without log-ins, and fails for an account that is not there', async () => {
    await apply();

    const [without, unknown] = await Promise.all([
      headway(['accounts', 'test', 'spare']),
      headway(['accounts', 'test', 'bt']),
    ]);

    expect(without).toMatchObject({
      exitCode: 0,
      stdout: 'Account spare needs no log-in: webhook has none.\n',
    });
    expect(unknown).toMatchObject({ exitCode: 1, stdout: '' });
    expect(unknown.stderr).toBe('There is no account "bt" (did you mean "bot"?), only: bot, spare\n');
  });

  it('says so where a secret cannot be opened', async () => {
    await apply();

    const ran = await headway(['accounts', 'test', 'bot'], { env: { HEADWAY_SECRET_KEY: '6d'.repeat(32) } });

    expect(ran).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ran.stderr).toContain('cannot be opened with this HEADWAY_SECRET_KEY');
    expect(ran.stderr.split('\n')).toHaveLength(2);
  });
});

describe('headway accounts reconnect', () => {
  it('connects an account that needed attention, once, and no other', async () => {
    await apply();
    await database.db('accounts').where({ name: 'bot' }).update(needAttention);
    fake.token = 'another';
    const refused = await headway(['accounts', 'reconnect', 'bot']);
    const refusedJson = await headway(['accounts', 'reconnect', 'bot', '--json']);
    fake.token = env.TOKEN;

    const json = await headway(['accounts', 'reconnect', 'bot', '--json']);
    const again = await headway(['accounts', 'reconnect', 'bot']);

    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^Account bot was left as it is: HTTP 401: /);
    expect(refusedJson.json()).toMatchObject({ account: 'bot', kind: 'refused' });
    expect(json).toMatchObject({ exitCode: 0, stderr: '' });
    expect(json.json()).toEqual({ account: 'bot', kind: 'reconnected', changed: true });
    expect(again).toMatchObject({ exitCode: 0, stdout: 'Account bot was so already.\n', stderr: '' });
    expect((await account()).status).toBe('active');
    expect(await database.db('audit_log').where({ action: 'reconnect' })).toMatchObject([
      { actor: 'cli', subject_type: 'account' },
    ]);
  });
});

describe('headway channels test', () => {
  it('says what is right, and posts nothing', async () => {
    await apply();

    const [json, text] = [
      await headway(['channels', 'test', 'social', '--json']),
      await headway(['channels', 'test', 'social']),
    ];

    expect(json).toMatchObject({ exitCode: 0, stderr: '' });
    const { findings, ...rest } = json.json();
    expect(rest).toEqual({ channel: 'social', isOk: true, canBeAsked: true });
    expect(findings[0]).toEqual({ subject: 'credentials', isOk: true, detail: expect.any(String) });
    expect(text.stdout).toMatch(/^ +ABOUT +FOUND\nok +credentials +\S/);
    expect(server.receiver.requests.map(({ method }) => method)).not.toContain('POST');
  });

  it('fails for what is wrong, and asks with a new session before it says so', async () => {
    await apply();
    await headway(['accounts', 'test', 'bot']);
    fake.token = 'another';

    const [json, text] = [
      await headway(['channels', 'test', 'social', '--json']),
      await headway(['channels', 'test', 'social']),
    ];

    expect(json).toMatchObject({ exitCode: 1, stderr: 'Channel social would not post as it is.\n' });
    expect(json.json()).toMatchObject({ isOk: false, findings: [{ subject: 'credentials', isOk: false }] });
    expect(text.exitCode).toBe(1);
    expect(text.stdout).toMatch(/\nWRONG +credentials +HTTP 401/);
  });

  it('says so where the platform cannot be asked, or where it need not be', async () => {
    await apply();
    await database.db('accounts').where({ name: 'bot' }).update(needAttention);

    const [hook, hookJson, held, unknown] = await Promise.all([
      headway(['channels', 'test', 'hook']),
      headway(['channels', 'test', 'hook', '--json']),
      headway(['channels', 'test', 'social', '--json']),
      headway(['channels', 'test', 'socal']),
    ]);

    expect(hook).toMatchObject({ exitCode: 0, stderr: '' });
    expect(hook.stdout).toContain('cannot be asked');
    expect(hookJson.json()).toEqual({ channel: 'hook', isOk: true, canBeAsked: false, findings: [] });
    expect(held.exitCode).toBe(1);
    expect(held.json()).toMatchObject({
      isOk: false,
      findings: [{ subject: 'credentials', isOk: false, detail: 'its account needs attention' }],
    });
    expect(unknown).toMatchObject({ exitCode: 1, stdout: '' });
    expect(unknown.stderr).toContain('did you mean "social"?');
    expect(server.receiver.requests).toEqual([]);
  });
});

describe('headway channels preview', () => {
  /** An article that is routed to the webhook, and by its feed to the other channel as well. */
  async function article(columns = {}): Promise<number> {
    const workspaceId = await apply();
    const feedId = await createFeed(database.db, workspaceId);
    const hook = await channelId('hook');
    const id = await createRouteArticle(
      database.db,
      { workspaceId, channelId: hook },
      { text: 'as it was routed', ...columns },
    );
    await database.db('articles').update({ feed_id: feedId, title: 'The title' });
    await database.db('routes').insert({
      workspace_id: workspaceId,
      feed_id: feedId,
      channel_id: await channelId('social'),
      template: 'New: {{ title }}',
      created_at: new Date('2026-01-01'),
    });
    return id;
  }

  it('shows the exact post, with its length as the platform counts it', async () => {
    const id = String(await article());

    const [json, text, routed] = await Promise.all([
      headway(['channels', 'preview', id, 'social', '--json']),
      headway(['channels', 'preview', id, 'social']),
      headway(['channels', 'preview', id, 'hook', '--json']),
    ]);

    expect(json).toMatchObject({ exitCode: 0, stderr: '' });
    const { parts, ...rest } = json.json();
    expect(rest).toEqual({ article: Number(id), channel: 'social', notes: [] });
    expect(parts).toEqual([
      {
        name: 'text',
        text: expect.stringMatching(/^New: The title\s+https:\/\/news\.example\/\d+$/),
        count: { length: expect.any(Number), limit: 500, unit: 'characters' },
      },
    ]);
    expect(text.stdout).toMatch(/^--- text \(\d+ of 500 characters\)\nNew: The title\s+https:/);
    expect(routed.stdout).toContain('as it was routed');
    expect(fake.statuses).toEqual([]);
  });

  it("shows it with the platform's own limits while its account needs attention", async () => {
    const id = String(await article());
    await database.db('accounts').where({ name: 'bot' }).update(needAttention);

    const ran = await headway(['channels', 'preview', id, 'social']);

    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ran.stdout).toContain('New: The title');
    expect(ran.stdout).toContain("! with Mastodon's own limits");
  });

  it('fails for what is not there, and for what is no ID', async () => {
    await apply();

    const [article, channel, id] = await Promise.all([
      headway(['channels', 'preview', '4711', 'social']),
      headway(['channels', 'preview', '4711', 'socal', '--json']),
      headway(['channels', 'preview', 'first', 'social']),
    ]);

    expect(article).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: 'There is no article 4711 in the queue.\n',
    });
    expect(channel).toMatchObject({ exitCode: 1, stdout: '' });
    expect(id).toMatchObject({ exitCode: 2, stdout: '' });
  });
});

describe('a secret', () => {
  it('is said by no command, whatever the other side says', async () => {
    const workspaceId = await apply();
    for (const name of ['social', 'hook']) {
      await createRouteArticle(database.db, { workspaceId, channelId: await channelId(name) });
    }
    server.plan({
      when: 'before',
      on: () => true,
      behaviour: ({ headers, body }) => jsonAnswer(401, { error: `${headers.authorization} ${body}` }),
    });
    const file = await write('changed.yaml', config().replace('name: hook,', 'name: hook, interval: 5m,'));
    const commands = [
      ['tick', '--json'],
      ['accounts', 'test', 'bot', '--json'],
      ['accounts', 'reconnect', 'bot'],
      ['accounts', 'list', '--json'],
      ['channels', 'test', 'social', '--json'],
      ['channels', 'list', '--json'],
      ['queue', 'list', '--json'],
      ['status', '--json'],
      ['apply', file, '--dry-run'],
      ['apply', file, '--json'],
      ['export'],
    ];

    let said = '';
    for (const args of commands) {
      const { stdout, stderr } = await headway(args, { env: { ...env, HEADWAY_LOG_LEVEL: 'debug' } });
      said += stdout + stderr;
    }

    const tables = ['attempts', 'alerts', 'audit_log', 'route_articles', 'channels'];
    const rows = JSON.stringify(await Promise.all(tables.map(table => database.db(table))));
    expect(said).toContain('HTTP 401');
    expect(said).toContain('Bearer [token]');
    expect(said + rows).not.toContain('hunter2');
  });
});
