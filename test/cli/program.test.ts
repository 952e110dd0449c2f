import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { version } from '../../src/version.ts';
import { useHeadway } from '../support/headway.ts';

// Nothing listens there: what needs no database must not ask for one.
const nowhere = 'postgres://headway:hunter22@127.0.0.1:1/headway';
const program = useHeadway({ databaseUrl: () => nowhere });
const { headway, startHeadway } = program;

function everyCommand(command: Command, path: readonly string[] = []): { path: string; command: Command }[] {
  return command.commands.flatMap(child => {
    const names = [...path, child.name()];
    return [{ path: names.join(' '), command: child }, ...everyCommand(child, names)];
  });
}

const commands = everyCommand(createProgram());
// One of a group does something by itself as well.
const runnable = commands.filter(({ path, command }) => command.commands.length === 0 || path === 'export');

function helpOf(command: Command): string {
  let help = '';
  const writeOut = (text: string) => {
    help += text;
  };
  command.configureOutput({ writeOut }).outputHelp();
  return help;
}

describe('the command line', () => {
  it('has the commands that its page promises', () => {
    expect(runnable.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        ...['start', 'work', 'serve', 'migrate', 'apply', 'export', 'ingest', 'tick', 'status', 'demo'],
        ...['list', 'explain', 'approve', 'reject', 'skip', 'retry', 'prioritise', 'publish-now'].map(
          name => `queue ${name}`,
        ),
        ...['dead list', 'dead retry'],
        ...['channels list', 'channels pause', 'channels resume'],
        ...['feeds list', 'feeds pause', 'feeds resume'],
        ...['opml', 'csv', 'wordpress', 'markdown', 'list', 'resume', 'retry'].map(name => `import ${name}`),
        'export opml',
      ]),
    );
  });

  it.each(commands)('says what "$path" is for', ({ command }) => {
    expect(command.description()).toMatch(/^[a-z].*[^.]$/);
  });

  it.each(runnable)('shows an example of "$path" that is right', ({ path, command }) => {
    const help = helpOf(command);

    expect(help).toContain('Example:');
    expect(help).toMatch(new RegExp(`^ {2}\\$ headway ${path}( |$)`, 'm'));
    const declared = command.registeredArguments.map(argument => argument.name());
    expect(declared).toEqual([...new Set(declared)]);
  });

  it.each(runnable.filter(({ path }) => !['start', 'work', 'serve'].includes(path)))(
    'prints JSON of "$path" on request',
    ({ command }) => {
      expect(command.options.map(option => option.long)).toContain('--json');
    },
  );

  it.each(['tick', 'ingest', 'status', ...runnable.map(({ path }) => path).filter(isOfQueue)])(
    'runs "%s" by a clock that stands still',
    path => {
      const { command } = runnable.find(each => each.path === path) ?? {};

      expect(command?.options.map(option => option.long)).toContain('--at');
    },
  );

  it('helps without a database, on standard output', async () => {
    const [general, ofOne, asked] = await Promise.all([
      headway(['--help']),
      headway(['queue', 'approve', '--help']),
      headway(['--version']),
    ]);

    expect(general).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.stringContaining('Usage:') });
    expect(ofOne).toMatchObject({
      exitCode: 0,
      stderr: '',
      stdout: expect.stringContaining('$ headway queue approve 42 43'),
    });
    expect(asked).toMatchObject({ exitCode: 0, stderr: '', stdout: `${version}\n` });
  });

  it('ends wrong use with 2 and says what was meant', async () => {
    const answers = await Promise.all([
      headway(['tik']),
      headway(['status', '--jsn']),
      headway(['queue', 'aprove', '42']),
      headway(['queue']),
      headway(['queue', 'explain', 'x']),
      headway(['queue', 'list', '--state', 'asleep']),
      headway(['tick', '--at', '2026-09-07T10:00:00']),
    ]);

    const said = answers.map(({ exitCode, stdout, stderr }) => {
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      return stderr;
    });
    expect(said[0]).toContain('Did you mean tick?');
    expect(said[1]).toContain('Did you mean --json?');
    expect(said[2]).toContain('Did you mean approve?');
    expect(said[3]).toContain('Usage: headway queue');
    expect(said[4]).toContain('Allowed: the number that "headway queue list" shows.');
    expect(said[5]).toContain('Allowed choices are waiting, pending');
    expect(said[6]).toContain('an ISO 8601 instant with its offset, such as 2026-11-30T09:00:00Z');
  });

  it('lists every bad setting before it opens anything, and shows no secret', async () => {
    const env = {
      PORT: 'http',
      HEADWAY_LOG_LEVL: 'debug',
      HEADWAY_ADMIN_PASSWORD: 'hunter2',
      HEADWAY_SHUTDOWN_GRACE: '1s',
    };

    const ran = await headway(['status'], { env });

    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr.trimEnd().split('\n')).toEqual([
      'The settings cannot be used:',
      '  PORT is not a port, allowed: 0 to 65535 (0: any free one) (got "http")',
      '  HEADWAY_ADMIN_PASSWORD is too short, allowed: 8 characters or more',
      '  HEADWAY_SHUTDOWN_GRACE is too short, allowed: 5s or more (got "1s")',
      '  HEADWAY_LOG_LEVL is not a setting (did you mean "HEADWAY_LOG_LEVEL"?)',
    ]);
  });

  it('reads a .env file of the working directory, under what the environment says', async () => {
    const cwd = join(program.folder, 'with-env');
    await mkdir(cwd);
    await writeFile(join(cwd, '.env'), 'PORT=http\nHEADWAY_LOG_LEVEL=loud\n');

    const ran = await headway(['status'], { cwd, env: { PORT: '3000' } });

    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain('HEADWAY_LOG_LEVEL is not a log level');
    expect(ran.stderr).not.toContain('PORT');
  });

  it('tries a database that is not there for a while, then fails in a sentence', async () => {
    const ran = await headway(['status', '--json'], { env: { HEADWAY_DATABASE_WAIT: '1s' } });

    expect(ran).toMatchObject({ exitCode: 1, stdout: '' });
    const [warning = '', message, ...more] = ran.stderr.trimEnd().split('\n');
    expect(JSON.parse(warning)).toMatchObject({ level: 40, msg: 'database not reached: trying again' });
    expect(message).toBe(
      'cannot reach the database "headway" at 127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1: check DATABASE_URL',
    );
    expect(more).toEqual([]);
    expect(ran.stderr).not.toContain('hunter22');
  });

  it('can be interrupted while it waits for its database', async () => {
    const waiting = startHeadway('status');
    await waiting.logged('database not reached: trying again');

    waiting.signal('SIGINT');
    const end = await waiting.ended();

    expect(end).toEqual({ exitCode: 1, signal: null });
    expect(waiting.stderr.trimEnd().split('\n').at(-1)).toBe('interrupted');
  });
});

function isOfQueue(path: string): boolean {
  return path.startsWith('queue ');
}
