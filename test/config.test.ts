import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../src/config.ts';
import { parseDuration } from '../src/duration.ts';
import { defaultLimits, limitNames, limitSetting } from '../src/limits.ts';
import { parseNetworks } from '../src/network/addressGuard.ts';

type Environment = Readonly<Record<string, string>>;

const folder = mkdtempSync(join(tmpdir(), 'headway-config-'));
const read = (env: Environment) => readConfig(env, { parseNetworks });
const secretKey = '0f'.repeat(32);

afterAll(() => rmSync(folder, { recursive: true }));

function problemsOf(env: Environment): readonly string[] {
  try {
    read(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

function fileWith(text: string): string {
  const path = join(folder, 'secret');
  writeFileSync(path, text);
  return path;
}

describe('readConfig', () => {
  it('needs nothing', () => {
    expect(read({})).toEqual({
      databaseUrl: null,
      limits: defaultLimits,
      redisUrl: null,
      dataDir: join(process.cwd(), 'data'),
      host: '127.0.0.1',
      port: 3000,
      adminPassword: null,
      secretKey: null,
      allowNetworks: [],
      contact: null,
      logLevel: null,
      shutdownGraceMs: 25_000,
      ingestEveryMs: 30_000,
      databaseWaitMs: 30_000,
    });
  });

  it('reads every setting, and freezes what it read', () => {
    const config = read({
      DATABASE_URL: 'postgres://headway:hunter22@db.example/headway',
      REDIS_URL: 'rediss://redis.example:6380/1',
      HEADWAY_DATA_DIR: '/var/lib/headway',
      HEADWAY_HOST: '0.0.0.0',
      PORT: '0',
      HEADWAY_ADMIN_PASSWORD: 'long enough',
      HEADWAY_SECRET_KEY: secretKey,
      HEADWAY_ALLOW_NETWORKS: '127.0.0.0/8, fd00::/8',
      HEADWAY_CONTACT: 'https://news.example/contact',
      HEADWAY_LOG_LEVEL: 'debug',
      HEADWAY_SHUTDOWN_GRACE: '5s',
      HEADWAY_INGEST_EVERY: '1s',
      HEADWAY_DATABASE_WAIT: '0s',
    });

    expect(config).toMatchObject({
      databaseUrl: 'postgres://headway:hunter22@db.example/headway',
      redisUrl: 'rediss://redis.example:6380/1',
      dataDir: '/var/lib/headway',
      host: '0.0.0.0',
      port: 0,
      adminPassword: 'long enough',
      secretKey,
      allowNetworks: ['127.0.0.0/8', 'fd00::/8'],
      contact: 'https://news.example/contact',
      logLevel: 'debug',
      shutdownGraceMs: 5_000,
      ingestEveryMs: 1_000,
      databaseWaitMs: 0,
    });
    expect(Object.isFrozen(config)).toBe(true);
  });

  it('passes over what Kubernetes says of a service of that name', () => {
    const links = { HEADWAY_PORT: 'tcp://10.0.0.1:3000', HEADWAY_SERVICE_HOST: '10.0.0.1' };

    expect(read(links)).toEqual(read({}));
  });

  it('refuses a lock session that is asked too rarely to live', () => {
    const limits = { HEADWAY_LIMIT_LOCK_ASK: '5s', HEADWAY_LIMIT_LOCK_IDLE: '9s' };

    expect(() => read(limits)).toThrow(
      'HEADWAY_LIMIT_LOCK_ASK is too long for HEADWAY_LIMIT_LOCK_IDLE (got 5s and 9s), allowed: half of it at most',
    );
  });

  it('takes what is set to nothing for not set', () => {
    expect(read({ DATABASE_URL: '', PORT: '', HEADWAY_LOG_LEVEL: '', HEADWAY_ADMIN_PASSWORD: '' })).toEqual(
      read({}),
    );
  });

  it.each([
    ['DATABASE_URL', 'mysql://root:hunter22@db', 'is not a URL that begins with postgres://'],
    ['DATABASE_URL', 'localhost', 'is not a URL that begins with postgres://'],
    ['REDIS_URL', 'http://:hunter22@redis', 'is not a URL that begins with redis://'],
    ['PORT', '65536', 'is not a port, allowed: 0 to 65535 (0: any free one) (got "65536")'],
    ['PORT', '-1', 'is not a port'],
    ['PORT', '3000.5', 'is not a port'],
    ['PORT', 'http', 'is not a port'],
    ['HEADWAY_ADMIN_PASSWORD', 'hunter2', 'is too short, allowed: 8 characters or more'],
    ['HEADWAY_SECRET_KEY', 'hunter22', 'is not a secret key, allowed: 32 bytes as base64, or 64 hex'],
    ['HEADWAY_SECRET_KEY', secretKey.slice(1), 'is not a secret key'],
    ['HEADWAY_SECRET_KEY', `${secretKey} hunter22`, 'is not a list of secret keys (number 2 of 2 is none)'],
    ['HEADWAY_SECRET_KEY', ' , ', 'is not a secret key'],
    ['HEADWAY_ALLOW_NETWORKS', '10.0.0.0/33', '10.0.0.0/33'],
    ['HEADWAY_ALLOW_NETWORKS', 'intranet', 'intranet'],
    ['HEADWAY_LOG_LEVEL', 'verbose', 'is not a log level, allowed: debug, info, warn, error, silent'],
    ['HEADWAY_SHUTDOWN_GRACE', '4s', 'is too short, allowed: 5s or more (got "4s")'],
    ['HEADWAY_SHUTDOWN_GRACE', '25', 'is not a duration, allowed: a number and a unit'],
    ['HEADWAY_INGEST_EVERY', '999ms', 'is too short, allowed: 1s or more'],
    ['HEADWAY_DATABASE_WAIT', 'for ever', 'is not a duration'],
  ])('refuses %s=%s', (name, value, message) => {
    const problems = problemsOf({ [name]: value });

    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${name} `));
    expect(problems[0]).toContain(message);
    expect(problems[0]).not.toContain('hunter2');
  });

  it('takes a secret key as base64 and as hexadecimal digits', () => {
    const bytes = Buffer.alloc(32, 0xfb);
    const forms = [
      bytes.toString('base64'),
      bytes.toString('base64url'),
      bytes.toString('hex').toUpperCase(),
    ];

    for (const form of forms) expect(read({ HEADWAY_SECRET_KEY: form }).secretKey).toBe(form);
  });

  it('takes several secret keys, separated by blanks, line breaks or commas', () => {
    const [first, second] = ['0f'.repeat(32), Buffer.alloc(32, 0xfb).toString('base64')];
    const lists = [
      `${first} ${second}`,
      `${first},${second}`,
      `${first}\n${second}\n`,
      `${first}, ${second}`,
    ];

    for (const list of lists) expect(read({ HEADWAY_SECRET_KEY: list }).secretKey).toBe(list);
  });

  it('lists every bad value at once', () => {
    const env = { PORT: 'x', HEADWAY_LOG_LEVEL: 'x', HEADWAY_SHUTDOWN_GRACE: 'x', HEADWAY_COLOUR: 'red' };

    const names = problemsOf(env).map(problem => problem.split(' ')[0]);

    expect(names).toEqual(['PORT', 'HEADWAY_LOG_LEVEL', 'HEADWAY_SHUTDOWN_GRACE', 'HEADWAY_COLOUR']);
    expect(() => read(env)).toThrow(/The settings cannot be used:\n {2}PORT .*\n {2}HEADWAY_LOG_LEVEL/);
  });

  it('asks what an unknown setting was to be, without its value', () => {
    expect(problemsOf({ HEADWAY_ADMIN_PASWORD: 'hunter22' })).toEqual([
      'HEADWAY_ADMIN_PASWORD is not a setting (did you mean "HEADWAY_ADMIN_PASSWORD"?)',
    ]);
    expect(problemsOf({ HEADWAY_COLOUR: 'red' })).toEqual(['HEADWAY_COLOUR is not a setting']);
  });

  it('leaves names alone that are not its own', () => {
    expect(problemsOf({ HEADWAYS: 'x', PATH: '/bin', PORTS: 'x' })).toEqual([]);
  });

  it.each(['DATABASE_URL', 'REDIS_URL', 'HEADWAY_ADMIN_PASSWORD', 'HEADWAY_SECRET_KEY'])(
    'reads %s from a file',
    name => {
      const value = { DATABASE_URL: 'postgres://db/headway', REDIS_URL: 'redis://redis' }[name] ?? secretKey;

      const config = read({ [`${name}_FILE`]: fileWith(`${value}\n`) });

      expect(Object.values(config)).toContain(value);
    },
  );

  it('refuses a secret that is given twice, or in a file that is not there', () => {
    const twice = { HEADWAY_SECRET_KEY: secretKey, HEADWAY_SECRET_KEY_FILE: fileWith(secretKey) };
    const missing = { DATABASE_URL_FILE: join(folder, 'missing') };

    expect(problemsOf({ ...twice, ...missing })).toEqual([
      `DATABASE_URL cannot be read from DATABASE_URL_FILE: no readable file at ${join(folder, 'missing')}`,
      'HEADWAY_SECRET_KEY is set twice: as itself and as HEADWAY_SECRET_KEY_FILE',
    ]);
  });

  it('does not show what a file holds that is no secret of the right form', () => {
    expect(problemsOf({ HEADWAY_ADMIN_PASSWORD_FILE: fileWith('hunter2') })).toEqual([
      'HEADWAY_ADMIN_PASSWORD is too short, allowed: 8 characters or more',
    ]);
  });
});

describe('the settings in the README', () => {
  const readme = readFileSync('README.md', 'utf8');
  const rows = [...readme.matchAll(/^\| `([A-Z_]+)`\*? \| (.+?) \| (.+) \|$/gm)];
  const defaults = new Map(rows.map(([, name = '', value = '']) => [name, value.replaceAll('`', '')]));
  const settings = ['DATABASE_URL', 'REDIS_URL', 'PORT', ...known()];

  /** Every name that begins with HEADWAY_, as the source of the settings has it. */
  function known(): string[] {
    const source = readFileSync('src/config.ts', 'utf8');
    const named = [...source.matchAll(/'(HEADWAY_[A-Z_]+)'/g)].map(([, name = '']) => name);
    const plain = [...new Set(named)].filter(name => !name.endsWith('_'));
    return [...plain, ...limitNames.map(limitSetting)];
  }

  it('are all that there are', () => {
    expect([...defaults.keys()].sort()).toEqual([...settings].sort());
  });

  it.each(limitNames)('have the default of %s', name => {
    const told = defaults.get(limitSetting(name)) ?? '';

    expect(parseDuration(told)).toBe(defaultLimits[name]);
  });

  it('have the other defaults', () => {
    const { dataDir, host, port, shutdownGraceMs, ingestEveryMs, databaseWaitMs } = read({});

    expect(join(process.cwd(), defaults.get('HEADWAY_DATA_DIR') ?? '')).toBe(dataDir);
    expect(defaults.get('HEADWAY_HOST')).toBe(host);
    expect(Number(defaults.get('PORT'))).toBe(port);
    expect(parseDuration(defaults.get('HEADWAY_SHUTDOWN_GRACE') ?? '')).toBe(shutdownGraceMs);
    expect(parseDuration(defaults.get('HEADWAY_INGEST_EVERY') ?? '')).toBe(ingestEveryMs);
    expect(parseDuration(defaults.get('HEADWAY_DATABASE_WAIT') ?? '')).toBe(databaseWaitMs);
  });

  it('say what each of them means', () => {
    expect(rows.filter(([, , , meaning = '']) => meaning.length < 20).map(([, name]) => name)).toEqual([]);
  });
});
