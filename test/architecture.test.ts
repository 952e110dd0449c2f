import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'src');

type Import = { file: string; target: string };

const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.ts'))
  .map(path => join(source, path));
const imports: Import[] = files.flatMap(importsOf);

/** What each place may import of ours, beside itself. Data flows one way; stages meet through rows. */
const directions: Readonly<Record<string, readonly string[]>> = {
  'main.ts': ['cli', 'config.ts'],
  cli: [
    'app.ts',
    'imports',
    'serve.ts',
    'config.ts',
    'limits.ts',
    'version.ts',
    'secrets.ts',
    'setup',
    'channels',
    'ingestion',
    'routing',
    'text',
    'publishing',
    'queue',
    'http',
    'models',
    'database',
    'network',
    'clock.ts',
    'logger.ts',
    'duration.ts',
    'didYouMean.ts',
  ],
  'serve.ts': [
    'app.ts',
    'ConsumerRecord.ts',
    'limits.ts',
    'unitConsumer.ts',
    'readiness.ts',
    'config.ts',
    'http',
    'queue',
    'publishing',
    'models',
    'database',
    'clock.ts',
    'logger.ts',
  ],
  'app.ts': [
    'config.ts',
    'limits.ts',
    'unitConsumer.ts',
    'channels',
    'database',
    'enrichment',
    'imports',
    'ingestion',
    'network',
    'publishing',
    'routing',
    'secretKey.ts',
    'secrets.ts',
    'version.ts',
    'clock.ts',
    'logger.ts',
    'models',
  ],
  'ConsumerRecord.ts': ['models', 'database', 'clock.ts', 'logger.ts', 'version.ts'],
  'readiness.ts': ['database', 'models', 'publishing', 'queue'],
  http: ['imports', 'queue', 'models', 'database', 'clock.ts', 'logger.ts'],
  queue: ['publishing', 'models', 'database', 'clock.ts', 'limits.ts', 'logger.ts', 'unitConsumer.ts'],
  setup: [
    'calendar',
    'channels',
    'models',
    'database',
    'secrets.ts',
    'duration.ts',
    'didYouMean.ts',
    'clock.ts',
    'logger.ts',
  ],
  ingestion: [
    'routing',
    'text',
    'network',
    'models',
    'database',
    'clock.ts',
    'limits.ts',
    'logger.ts',
    'timeLimit.ts',
    'unitConsumer.ts',
  ],
  enrichment: [
    'network',
    'text',
    'models',
    'database',
    'clock.ts',
    'limits.ts',
    'logger.ts',
    'unitConsumer.ts',
  ],
  imports: [
    'ingestion',
    'didYouMean.ts',
    'routing',
    'network',
    'text',
    'models',
    'database',
    'clock.ts',
    'logger.ts',
    'unitConsumer.ts',
  ],
  routing: ['models', 'text', 'database', 'didYouMean.ts', 'clock.ts', 'logger.ts'],
  publishing: [
    'calendar',
    'channels',
    'models',
    'database',
    'clock.ts',
    'limits.ts',
    'logger.ts',
    'secrets.ts',
    'timeLimit.ts',
    'unitConsumer.ts',
  ],
  models: ['database', 'channels'],
  channels: ['network', 'text', 'clock.ts', 'duration.ts', 'limits.ts'],
  text: ['network'],
  network: ['clock.ts', 'logger.ts'],
  database: ['clock.ts', 'limits.ts', 'logger.ts'],
  calendar: [],
  'secretKey.ts': ['keyFile.ts', 'logger.ts', 'secrets.ts'],
  'keyFile.ts': [],
  'secrets.ts': [],
  'config.ts': ['didYouMean.ts', 'duration.ts', 'limits.ts', 'logger.ts'],
  'limits.ts': [],
  'unitConsumer.ts': [],
  'clock.ts': [],
  'logger.ts': [],
  'duration.ts': [],
  'timeLimit.ts': [],
  'didYouMean.ts': [],
  'version.ts': [],
};

describe('the directions of the source', () => {
  it('names every place under src', () => {
    const places = new Set(files.map(placeOf));

    expect([...places].filter(place => !(place in directions))).toEqual([]);
  });

  it.each(Object.keys(directions))('lets %s import only what lies below it', place => {
    const allowed = [place, ...(directions[place] ?? [])];

    const strays = imports
      .filter(({ file, target }) => placeOf(file) === place && target.startsWith('.'))
      .map(({ file, target }) => ({ file, place: placeOf(join(dirname(file), target)) }))
      .filter(({ file, place: target }) => !allowed.includes(target) && !isPackageFile(file, target));

    expect(strays.map(({ file, place: target }) => `${shown(file)} → ${target}`)).toEqual([]);
  });

  it.each([
    ['bullmq', ['queue/']],
    ['ioredis', ['queue/']],
    ['@bull-board/api', ['http/bullBoard.ts']],
    ['@bull-board/hono', ['http/bullBoard.ts']],
    ['knex', ['database/', 'models/']],
    ['pg', ['database/', 'models/']],
    ['undici', ['network/', 'channels/exchange.ts']],
    ['commander', ['cli/']],
    ['hono', ['http/', 'cli/demo/']],
    ['yaml', ['setup/', 'channels/files.ts', 'imports/']],
    ['yauzl', ['imports/']],
    ['nostr-tools', ['channels/nostr.ts', 'channels/nostr/']],
    ['luxon', ['calendar/', 'setup/', 'ingestion/', 'cli/']],
  ])('keeps %s where it belongs', (name, places) => {
    const strays = imports
      .filter(({ target }) => target === name || target.startsWith(`${name}/`))
      .filter(({ file }) => !places.some(place => shown(file).startsWith(`src/${place}`)));

    expect(strays.map(({ file }) => shown(file))).toEqual([]);
  });

  it.each([
    ['process.env', ['config.ts']],
    ['Date.now(', ['clock.ts']],
    ['new Date()', ['clock.ts']],
    ['console.', ['cli/']],
    // Where it is the only hold on its time: see timeLimit.ts.
    ['AbortSignal.timeout(', ['database/launchPostgres.ts', 'network/createGuardedFetch.ts', 'timeLimit.ts']],
    ['.raw(', ['database/', 'models/', 'cli/commands/status.ts']],
  ])('keeps %s where it belongs', (text, places) => {
    const strays = files
      .filter(file => withoutComments(readFileSync(file, 'utf8')).includes(text))
      .filter(file => !places.some(place => shown(file).startsWith(`src/${place}`)));

    expect(strays.map(shown)).toEqual([]);
  });

  it('lets a channel import only the port, the request helper and what channels share', () => {
    const shared = [
      'AccountKind.ts',
      'Channel.ts',
      'PublishOutcome.ts',
      'answerOutcome.ts',
      'json.ts',
      'multipart.ts',
      'remoteClock.ts',
      'sendRequest.ts',
      'settingsParts.ts',
      'signature.ts',
      '../text/',
      'writeFileAtomically.ts',
      '../network/canonicalUrl.ts',
    ];
    const platforms = platformFiles();

    // What a platform's file has no room for lies in the folder of its name.
    const strays = platforms.flatMap(platform => {
      const own = platform.replace(/\.ts$/, '/');
      return imports
        .filter(({ file, target }) => (file === platform || file.startsWith(own)) && target.startsWith('.'))
        .map(({ file, target }) => ({ file, path: join(dirname(file), target) }))
        .filter(({ path }) => path !== platform && !path.startsWith(own))
        .filter(({ path }) => !shared.some(name => path.startsWith(join(source, 'channels', name))))
        .map(({ file, path }) => ({ file, target: shown(path) }));
    });

    expect(platforms.length).toBeGreaterThan(1);
    expect(strays.map(({ file, target }) => `${shown(file)} → ${target}`)).toEqual([]);
  });

  it('lets only the registry import channels', () => {
    const platforms = platformFiles();

    const strays = imports
      .filter(({ file, target }) => target.startsWith('.') && platforms.includes(join(dirname(file), target)))
      .filter(({ file }) => shown(file) !== 'src/channels/registry.ts');

    expect(strays.map(({ file, target }) => `${shown(file)} → ${target}`)).toEqual([]);
  });

  it('has no SQL with now() in it', () => {
    // A clock's method is asked on something; SQL's function stands alone.
    const strays = files.filter(file =>
      /(?<![.\w])now\(\)|current_timestamp/i.test(withoutComments(readFileSync(file, 'utf8'))),
    );

    expect(strays.map(shown)).toEqual(['src/clock.ts']);
  });
});

function importsOf(file: string): Import[] {
  const text = readFileSync(file, 'utf8');
  const found = text.matchAll(/(?:import|export)\s(?:[^'";]*?\sfrom\s)?'([^']+)'|import\('([^']+)'\)/g);
  return [...found].map(([, direct, dynamic]) => ({ file, target: direct ?? dynamic ?? '' }));
}

function platformFiles(): string[] {
  const registry = join(source, 'channels/registry.ts');
  return importsOf(registry)
    .map(({ target }) => join(dirname(registry), target))
    .filter(file => !file.endsWith('Channel.ts'));
}

/** The first part of a path below src: a folder, or a file beside them. */
function placeOf(file: string): string {
  return relative(source, file).split('/')[0] ?? '';
}

// package.json lies beside src.
function isPackageFile(file: string, place: string): boolean {
  return place === '..' && shown(file) === 'src/version.ts';
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}

function shown(file: string): string {
  return relative(root, file);
}
