import type { Command } from 'commander';
import { type ListedAccount, listAccounts } from '../../models/accounts.ts';
import { reconnectAccount, testAccount } from '../../publishing/reconnectAccount.ts';
import { failed } from '../CliError.ts';
import { findNamed } from '../findNamed.ts';
import { formatInstant, print, printJson, printTable, shorten } from '../output.ts';
import { type CommandContext, chooseWorkspace, withApp } from '../withApp.ts';

type Options = { json?: boolean; workspace?: string };

/** `headway accounts …`: whom channels post as, whether that works, and what to do where it does not. */
export function addAccounts(program: Command): void {
  const accounts = program.command('accounts').description('show accounts, test and reconnect them');
  subcommand(
    accounts,
    'list',
    'list accounts with their state and the channels that use each',
    'list',
  ).action(async (options: Options) => withApp({}, context => list(context, options)));
  subcommand(accounts, 'test', 'log in with the stored credentials; nothing is posted', 'test bot')
    .argument('<name>', 'the account')
    .action(async (name: string, options: Options) => withApp({}, context => test(context, name, options)));
  subcommand(
    accounts,
    'reconnect',
    'log in, and let the channels of an account that needed attention flow again',
    'reconnect bot',
  )
    .argument('<name>', 'the account')
    .action(async (name: string, options: Options) =>
      withApp({}, context => reconnect(context, name, options)),
    );
}

function subcommand(accounts: Command, usage: string, description: string, example: string): Command {
  return accounts
    .command(usage)
    .description(description)
    .option('--workspace <name>', 'which workspace (default: the only one)')
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  $ headway accounts ${example}`);
}

async function list({ app, clock }: CommandContext, { workspace, json }: Options): Promise<void> {
  const { id } = await chooseWorkspace(app, workspace);
  const now = clock.now();
  const accounts = (await listAccounts(app.db, id)).map(account => ({
    ...account,
    state: stateOf(account, now),
  }));
  if (json) return printJson(accounts.map(({ id: _id, ...account }) => account));
  printTable(
    ['ACCOUNT', 'PLATFORM', 'INSTANCE', 'USER', 'STATE', 'UNTIL', 'CHANNELS', 'DETAIL'],
    accounts.map(({ name, platform, instance, username, state, heldUntil, channels, holdDetail }) => [
      name,
      platform,
      instance || '-',
      username ?? '-',
      state,
      formatInstant(state === 'held' ? heldUntil : null),
      channels.join(', ') || '-',
      shorten(state === 'active' ? '' : (holdDetail ?? ''), 120),
    ]),
    'There are no accounts: describe them in a file and run "headway apply FILE".',
  );
}

function stateOf({ status, holdReason, heldUntil }: ListedAccount, now: Date): string {
  if (status !== 'active') return status;
  return holdReason !== null && (heldUntil === null || heldUntil > now) ? 'held' : 'active';
}

async function choose({ app }: CommandContext, name: string, workspace: string | undefined) {
  const { id: workspaceId } = await chooseWorkspace(app, workspace);
  const account = findNamed('account', name, await listAccounts(app.db, workspaceId));
  return { ...account, workspaceId };
}

async function test(context: CommandContext, name: string, { workspace, json }: Options): Promise<void> {
  const account = await choose(context, name, workspace);
  const { app, clock, signal } = context;
  const refusal = await testAccount(app.accounts, account, { clock, signal });
  const detail = refusal?.detail ?? null;
  if (json) printJson({ account: name, isUsable: refusal === null, status: account.status, detail });
  if (refusal) throw failed(`Account ${name} cannot be used: ${refusal.detail}`);
  if (json) return;
  const { platform } = account;
  const canLogIn = app.accounts.channels.get(platform)?.account != null;
  print(canLogIn ? `Account ${name} can log in.` : `Account ${name} needs no log-in: ${platform} has none.`);
  if (account.status === 'needs_attention') print(`Run "headway accounts reconnect ${name}" to let it post.`);
}

async function reconnect(context: CommandContext, name: string, { workspace, json }: Options): Promise<void> {
  const account = await choose(context, name, workspace);
  const { app, clock, signal } = context;
  const result = await reconnectAccount(app.accounts, account, { actor: 'cli', clock, signal });
  if (json) printJson({ account: name, ...result });
  if (result.kind === 'refused') throw failed(`Account ${name} was left as it is: ${result.detail}`);
  if (json) return;
  print(result.changed ? `Account ${name} is connected again.` : `Account ${name} was so already.`);
}
