import type { Command } from 'commander';
import {
  type Changed,
  clearedSessions,
  countResealed,
  type Placed,
  rotateKey,
} from '../../setup/rotateKey.ts';
import { failed, wrongUse } from '../CliError.ts';
import { print, printJson } from '../output.ts';
import { withApp } from '../withApp.ts';

/** `headway rotate-key`: seals everything with another key. */
export function addRotateKey(program: Command): void {
  program
    .command('rotate-key')
    .description('seal all secrets with a new key, without a pause')
    .option('--json', 'print JSON')
    .addHelpText('after', `\n${explanation}\n\nExample:\n  $ headway rotate-key`)
    .action(async ({ json }: { json?: boolean }) =>
      withApp({}, async ({ app: { db, keyRing: ring }, clock }) => {
        const rotation = await rotateKey({ db, ring }, { actor: 'cli', now: clock.now() });
        if (rotation.kind === 'one_key') throw wrongUse(oneKey);
        if (rotation.kind === 'unreadable') throw failed(describeUnreadable(rotation.rows));
        const path = ring.file?.path ?? null;
        if (json) printJson(toJson(rotation.changed, path));
        else print(describe(rotation.changed, path));
      }),
    );
}

const explanation = `A key in the data folder is replaced by one that this makes; running servers notice by themselves. Keys
that are in HEADWAY_SECRET_KEY stay as they are: the first of them seals, and the others may then go.`;

const oneKey =
  'HEADWAY_SECRET_KEY holds one key, and everything is sealed with it. To rotate it, put the new key in front of ' +
  'the old one ("NEW OLD"), restart every process, and run this again.';

function toJson(changed: readonly Changed[], path: string | null) {
  return {
    source: path === null ? 'setting' : 'file',
    path,
    resealed: countResealed(changed),
    clearedSessions: clearedSessions(changed).map(({ workspace, name }) => ({ workspace, account: name })),
  };
}

function describe(changed: readonly Changed[], path: string | null): string {
  const { accounts, channels, sessions } = countResealed(changed);
  const counts = [
    counted(accounts, 'account'),
    counted(channels, 'channel'),
    counted(sessions, 'session'),
  ].join(', ');
  const cleared = clearedSessions(changed).map(nameOf).join(', ');
  return [
    `Sealed anew: ${counts}.`,
    ...(cleared ? [`No key opened the session of ${cleared}: the next use logs in again.`] : []),
    path === null
      ? 'All is sealed with the first key of HEADWAY_SECRET_KEY: any others may be removed from it.'
      : `${path} holds the new key alone: keep a copy.`,
    'A backup of the database from before needs the key from before.',
  ].join('\n');
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function describeUnreadable(rows: readonly Placed[]): string {
  const names = rows.map(row => `  ${row.place === 'accounts' ? 'account' : 'channel'} ${nameOf(row)}`);
  return (
    `Nothing was changed, for no key opens the secrets of:\n${names.join('\n')}\n` +
    'Put the key that sealed them behind the others, or state them anew: headway apply FILE --reseal'
  );
}

function nameOf({ name, workspace, isArchived }: Placed): string {
  return `"${name}" (workspace ${workspace}${isArchived ? ', archived' : ''})`;
}
