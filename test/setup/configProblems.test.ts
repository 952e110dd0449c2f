import { describe, expect, it } from 'vitest';
import { ConfigFileError } from '../../src/setup/ConfigFileError.ts';
import { exampleConfig, exampleEnv, readText } from './exampleConfig.ts';

function problemsOf(text: string, env: Readonly<Record<string, string>> = exampleEnv): readonly string[] {
  try {
    readText(text, env);
  } catch (error) {
    if (error instanceof ConfigFileError) return error.problems;
    throw error;
  }
  return [];
}

const workspace = (keys: string) => `workspaces:\n  - { name: default }\n  - { name: b, ${keys} }`;
const feed = (keys: string) => `feeds:\n  - { name: f, ${keys} }`;
const channel = (keys: string) => `channels:\n  - { name: c, ${keys} }`;
const route = (keys: string) =>
  `feeds: [{ name: blog, url: "https://f.example" }]\nchannels: [{ name: out, platform: files, folder: x }]\nroutes:\n  - { ${keys} }`;

describe('the problems of a config.yaml', () => {
  it('finds none in the example', () => {
    expect(problemsOf(exampleConfig)).toEqual([]);
  });

  it.each([
    [
      'feads: []',
      'config.yaml:1: feads: unknown key, allowed workspaces, accounts, channels, feeds, routes (did you mean "feeds"?)',
    ],
    [workspace('colour: red'), 'config.yaml:3: workspaces[1].colour: unknown key, allowed name, timezone'],
    [
      workspace('timezone: Europe/Berln'),
      'config.yaml:3: workspaces[1].timezone: is not a time zone, got "Europe/Berln", allowed an IANA name such as Europe/Berlin or UTC (did you mean "Europe/Berlin"?)',
    ],
    [
      workspace('dailyCap: ten'),
      'config.yaml:3: workspaces[1].dailyCap: is not a cap, got "ten", allowed a whole number from 0',
    ],
    [workspace('dailyCap: -1'), 'config.yaml:3: workspaces[1].dailyCap: is not a cap, got -1'],
    [workspace('dailyCap: null'), 'config.yaml:3: workspaces[1].dailyCap: is not a cap, got nothing'],
    [
      workspace('tickEvery: 5 minutes'),
      'config.yaml:3: workspaces[1].tickEvery: is not a duration in range, got "5 minutes", allowed a number and a unit, such as 500ms, 90s, 5m, 2h or 7d, from 1s to 1d',
    ],
    [
      workspace('tickEvery: 999ms'),
      'config.yaml:3: workspaces[1].tickEvery: is not a duration in range, got "999ms"',
    ],
    [
      workspace('tickEvery: 25h'),
      'config.yaml:3: workspaces[1].tickEvery: is not a duration in range, got "25h"',
    ],
    [
      workspace('windows: ["08:00-22:00", "mon-fry 08:00-22:00"]'),
      'config.yaml:3: workspaces[1].windows[1]: is not a window, got "mon-fry 08:00-22:00", allowed days and times such as "mon-fri 08:00-22:00"',
    ],
    [
      workspace('windows: "08:00-22:00"'),
      'config.yaml:3: workspaces[1].windows: must be a list, got "08:00-22:00"',
    ],
    [
      workspace('paused: yes'),
      'config.yaml:3: workspaces[1].paused: is not a yes or no, got "yes", allowed true or false',
    ],
    ['workspaces: [{ timezone: UTC }]', 'config.yaml:1: workspaces[0].name: is missing'],
    ['workspaces: []', 'config.yaml:1: workspaces: lists none'],
    [
      'workspaces: [{ name: a }, { name: a }]',
      'config.yaml:1: workspaces[1].name: stands twice: the workspace a is already in line 1',
    ],
    [
      'accounts:\n  - { name: bot, platform: lemy }',
      'config.yaml:2: accounts[0].platform: is no platform, got "lemy", allowed careless, files, lemmy, webhook (did you mean "lemmy"?)',
    ],
    [
      'accounts:\n  - { name: bot, platform: lemmy, active: maybe }',
      'config.yaml:2: accounts[0].active: is not a yes or no, got "maybe"',
    ],
    [
      'accounts:\n  - { name: bot, platform: lemmy, pasword: hunter2 }',
      'config.yaml:2: accounts[0].pasword: unknown key, allowed',
    ],
    [
      'accounts:\n  - { name: bot, platform: lemmy, password: 12345 }',
      'config.yaml:2: accounts[0].password: must be text, got (secret)',
    ],
    [
      channel('platform: filess, folder: x'),
      'config.yaml:2: channels[0].platform: is no platform, got "filess", allowed careless, files, lemmy, webhook (did you mean "files"?)',
    ],
    [channel('folder: x'), 'config.yaml:2: channels[0].platform: is missing'],
    [channel('platform: files'), 'config.yaml:2: channels[0].folder: '],
    [
      channel('platform: files, folder: x, intervall: 5m'),
      'config.yaml:2: channels[0].intervall: unknown key, allowed workspace, name, platform, account, interval, dailyCap, paused, folder',
    ],
    [
      channel('platform: files, folder: x, interval: soon'),
      'config.yaml:2: channels[0].interval: is not a duration in range, got "soon"',
    ],
    [
      channel('platform: files, folder: x, account: bot'),
      'config.yaml:2: channels[0].account: names no account of workspace default, got "bot", there is none',
    ],
    [
      channel('platform: webhook, url: 5'),
      'config.yaml:2: channels[0].url: must be a string (numbers in quotes), got 5',
    ],
    [
      channel('platform: webhook, url: "ftp://x"'),
      'config.yaml:2: channels[0].url: must be an http or https URL',
    ],
    [
      channel('platform: webhook, url: "https://x.example", secret: 12345'),
      'config.yaml:2: channels[0].secret: must be a string (numbers in quotes) or a list, got (secret)',
    ],
    [
      channel('platform: webhook, url: "https://x.example", secret: "whsec_!"'),
      'config.yaml:2: channels[0].secret: must be base64 after whsec_, got (secret)',
    ],
    [
      'accounts: [{ name: bot, platform: lemmy }]\nchannels:\n  - { name: c, platform: files, folder: x, account: bot }',
      'config.yaml:3: channels[0].account: account bot is one of lemmy, allowed one of files',
    ],
    [
      'channels:\n  - { name: c, platform: files, folder: x }\n  - { name: c, platform: files, folder: y }',
      'config.yaml:3: channels[1].name: stands twice: the channel c is already in line 2',
    ],
    [
      'channels:\n  - { name: one, platform: files, folder: x }\n  - { name: two, platform: files, folder: x }',
      'config.yaml:3: channels[1]: the channels one and two have the same destination',
    ],
    [
      feed('url: "nope"'),
      'config.yaml:2: feeds[0].url: is not a URL of a feed, got "nope", allowed http:// or https://',
    ],
    [
      feed('url: "ftp://f.example"'),
      'config.yaml:2: feeds[0].url: is not a URL of a feed, got "ftp://f.example"',
    ],
    [
      feed('url: "https://me:hunter2@f.example"'),
      'config.yaml:2: feeds[0].url: is not a URL of a feed, got "https://(hidden)@f.example"',
    ],
    [feed('every: 15m'), 'config.yaml:2: feeds[0].url: is missing'],
    [
      feed('url: "https://f.example", every: 8d'),
      'config.yaml:2: feeds[0].every: is not a duration in range, got "8d"',
    ],
    [
      feed('url: "https://f.example", enrich: often'),
      'config.yaml:2: feeds[0].enrich: is neither true, false nor a duration in range, got "often", allowed ' +
        'true (at most 10m), false, or a number and a unit, such as 500ms, 90s, 5m, 2h or 7d, from 30s to 1d',
    ],
    [
      feed('url: "https://f.example", enrich: 29s'),
      'config.yaml:2: feeds[0].enrich: is neither true, false nor a duration in range, got "29s"',
    ],
    [
      feed('url: "https://f.example", enrich: 2d'),
      'config.yaml:2: feeds[0].enrich: is neither true, false nor a duration in range, got "2d"',
    ],
    [
      feed('url: "https://f.example", enrich: null'),
      'config.yaml:2: feeds[0].enrich: is neither true, false nor a duration in range',
    ],
    [
      feed('url: "https://f.example", maxAge: 0s'),
      'config.yaml:2: feeds[0].maxAge: is not a duration in range, got "0s"',
    ],
    [
      feed('url: "https://f.example", firstImport: some'),
      'config.yaml:2: feeds[0].firstImport: is not a first import, got "some", allowed baseline, all, "last: 3"',
    ],
    [
      feed('url: "https://f.example", firstImport: { last: 0 }'),
      'config.yaml:2: feeds[0].firstImport: is not a first import, got a map',
    ],
    [
      feed('url: "https://f.example", firstImport: { since: 2026-02-30 }'),
      'config.yaml:2: feeds[0].firstImport: is not a first import',
    ],
    [
      feed('url: "https://f.example", workspace: b'),
      'config.yaml:2: feeds[0].workspace: names no workspace of this file, got "b", allowed default',
    ],
    ['feeds: [{ url: "https://f.example" }]', 'config.yaml:1: feeds[0].name: is missing'],
    [
      'feeds: [{ name: 2026, url: "https://f.example" }]',
      'config.yaml:1: feeds[0].name: must be text, got 2026, allowed a string that is not empty (numbers in quotes)',
    ],
    [
      route('feed: blgo, channel: out'),
      'config.yaml:4: routes[0].feed: names no feed of workspace default, got "blgo", allowed blog (did you mean "blog"?)',
    ],
    [
      route('feed: blog, channel: outt'),
      'config.yaml:4: routes[0].channel: names no channel of workspace default, got "outt", allowed out (did you mean "out"?)',
    ],
    [route('channel: out'), 'config.yaml:4: routes[0].feed: is missing'],
    [
      route('feed: blog, channel: out, approval: maybe'),
      'config.yaml:4: routes[0].approval: is none of the choices, got "maybe", allowed auto or manual',
    ],
    [
      route('feed: blog, channel: out, priority: 32768'),
      'config.yaml:4: routes[0].priority: is not a whole number in range, got 32768, allowed -32768 to 32767',
    ],
    [
      route('feed: blog, channel: out, include: release'),
      'config.yaml:4: routes[0].include: must be a list, got "release"',
    ],
    [
      route('feed: blog, channel: out, exclude: [5]'),
      'config.yaml:4: routes[0].exclude[0]: must be text, got 5',
    ],
    [
      route('feed: blog, channel: out, edits: never'),
      'config.yaml:4: routes[0].edits: is none of the choices, got "never", allowed ask or follow',
    ],
    [
      route('feed: blog, channel: out, template: "{{ titel }}"'),
      'config.yaml:4: routes[0].template: has an unknown placeholder "{{ titel }}" (did you mean "title"?)',
    ],
    [
      route('feed: blog, channel: out }\n  - { feed: blog, channel: out'),
      'config.yaml:5: routes[1].channel: stands twice: the route blog → out is already in line 4',
    ],
    ['feeds: "all of them"', 'config.yaml:1: feeds: must be a list, got a string'],
    ['feeds:\n  - blog', 'config.yaml:2: feeds[0]: must be a map such as { name: … }, got a string'],
    ['- feeds', 'config.yaml:1: must be a map of workspaces, accounts, channels, feeds, routes, got a list'],
    ['', 'config.yaml:1: the file is empty'],
    ['# nothing yet\n', 'config.yaml:1: the file is empty'],
    [
      feed(`url: "https://\${HOST}/f"`),
      'config.yaml:2: feeds[0].url: the environment variable HOST is not set',
    ],
    [feed(`url: "https://\${HOST/f"`), `config.yaml:2: feeds[0].url: has a "\${" that begins no \${NAME}`],
  ])('says of %j: %s', (text, expected) => {
    const problems = problemsOf(text);

    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(expected);
  });

  it.each([
    ['feeds: []\nfeeds: []', 'config.yaml:2: the key feeds is given twice'],
    ['feeds:\n\t- { name: f }', 'config.yaml:2: a tab is used to indent: use spaces'],
    ['feeds: [\nroutes: []', 'config.yaml:2: not valid YAML'],
    ['feeds: a: b', 'config.yaml:1: a second ": " in one line'],
    ['feeds: []\n---\nroutes: []', 'config.yaml:2: a second YAML document begins here'],
    ['feeds: *all', 'config.yaml:1: a value begins with "*" but names no anchor'],
  ])('says where %j is no YAML', (text, expected) => {
    expect(problemsOf(text)[0]).toContain(expected);
  });

  it('stops at aliases that multiply', () => {
    const levels = [...'bcdefghi'].map((name, index) => {
      const before = [...'abcdefgh'][index];
      return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(', ')}]`;
    });

    expect(problemsOf(['a: &a [x, x, x]', ...levels].join('\n'))[0]).toContain(
      'aliases (*name) multiply beyond 100',
    );
  });

  it('lists every problem of a file at once, in its order', () => {
    const problems = problemsOf(
      'workspaces:\n  - { name: default, timezone: Mars }\nfeeds:\n  - name: blog\n    url: nope\n    every: often\n' +
        'routes:\n  - { feed: blog, channel: out }\nfeads: []\nfeads: []',
    );

    expect(problems.map(problem => problem.split(': ').slice(0, 2).join(' '))).toEqual([
      'config.yaml:10 the key feads is given twice',
      'config.yaml:2 workspaces[0].timezone',
      'config.yaml:5 feeds[0].url',
      'config.yaml:6 feeds[0].every',
      'config.yaml:8 routes[0].channel',
      'config.yaml:9 feads',
    ]);
  });

  it('says nothing more of what follows from an unset variable', () => {
    const text = `channels:\n  - { name: c, platform: "\${PLATFORM}", interval: "\${EVERY}" }`;

    expect(problemsOf(text)).toEqual([
      expect.stringContaining('channels[0].platform: the environment variable PLATFORM is not set'),
      expect.stringContaining('channels[0].interval: the environment variable EVERY is not set'),
    ]);
  });

  it('never shows a secret, whatever is wrong with it or beside it', () => {
    const texts = [
      'accounts: [{ name: a, platform: lemy, password: hunter2, colour: x }]',
      'accounts: [{ name: a, platform: lemmy, password: { x: hunter2 } }]',
      'accounts: [{ name: a, platform: lemmy, pass: hunter2 }]',
      'channels: [{ name: c, platform: webhook, url: 5, secret: hunter2 }]',
      'channels: [{ name: c, platform: webhook, url: "https://x.example", secret: "whsec_hunter2!" }]',
      'channels: [{ name: c, platform: careless, room: r, token: hunter2 }]',
      `channels: [{ name: c, platform: careless, room: r, token: "\${TOKEN}" }]`,
      'channels: [{ name: c, platform: careles, room: r, token: hunter2 }]',
      'accounts:\n  - name: a\n    password: "hunter2" "hunter2"\n',
      'accounts:\n  - name: a\n    password: !hunter2 x\n',
      'accounts:\n  - name: a\n    password: *hunter2\n',
      'accounts:\n  - name: a\n    password: "\\hunter2"\n',
      'accounts:\n  - name: a\n    password: @hunter2\n',
      'accounts:\n  - name: a\n    password: %hunter2\n%hunter2\n',
      'accounts:\n  - name: a\n    password: |hunter2\n',
      'accounts:\n  - hunter2\n',
      'hunter2',
    ];

    for (const text of texts) {
      const problems = problemsOf(text, { TOKEN: 'hunter2' });
      expect(problems, text).not.toEqual([]);
      expect(problems.join('\n'), text).not.toContain('hunter2');
    }
  });

  it('shows what the file says, not what the environment gave', () => {
    const problems = problemsOf(feed(`url: "\${FEED}"`), { FEED: 'private-address' });

    expect(problems[0]).toContain(`got "\${FEED}"`);
    expect(problems[0]).not.toContain('private-address');
  });
});
