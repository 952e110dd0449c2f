import type { Command } from 'commander';
import { countWaiting, pauseChannel, resumeChannel } from '../../models/channelChanges.ts';
import { loadSchedule } from '../../models/schedule.ts';
import { openChannels } from '../../publishing/openChannels.ts';
import { addSwitches } from '../addSwitches.ts';
import { formatInstant, printJson, printTable, shorten } from '../output.ts';
import { type CommandContext, chooseWorkspace, withApp } from '../withApp.ts';
import { addChannelTests } from './channelsTest.ts';

type Options = { json?: boolean; workspace?: string };

/** `headway channels …`: which channels are open, and the switch of each. */
export function addChannels(program: Command): void {
  const channels = program.command('channels').description('show channels, test, pause and resume them');
  channels
    .command('list')
    .description('list channels: open, or closed with the reason and until when')
    .option('--workspace <name>', 'which workspace (default: the only one)')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ headway channels list')
    .action(async (options: Options) => withApp({}, context => list(context, options)));
  addChannelTests(channels);
  addSwitches(channels, {
    kind: 'channel',
    example: 'tech',
    list: async (app, workspaceId) => (await loadSchedule(app.db, workspaceId))?.channels ?? [],
    pause: { description: 'stop publishing in a channel; its articles wait', turn: pauseChannel },
    resume: { description: 'publish in a channel again, whatever paused or held it', turn: resumeChannel },
  });
}

async function list({ app, clock }: CommandContext, { workspace, json }: Options): Promise<void> {
  const { id } = await chooseWorkspace(app, workspace);
  const schedule = await loadSchedule(app.db, id);
  const waiting = await countWaiting(app.db, id);
  const verdicts = schedule ? openChannels(schedule.workspace, schedule.channels, clock.now()) : [];
  const rows = verdicts.map(({ channel, closed }) => ({
    name: channel.name,
    platform: channel.platform,
    isOpen: closed === null,
    reason: closed?.reason ?? null,
    until: closed?.until ?? null,
    detail: closed?.detail ?? null,
    waiting: waiting.get(channel.id) ?? 0,
    lastPublishedAt: channel.lastCountedAt,
  }));
  if (json) return printJson(rows);
  printTable(
    ['CHANNEL', 'PLATFORM', 'STATE', 'UNTIL', 'WAITING', 'LAST', 'DETAIL'],
    rows.map(row => [
      row.name,
      row.platform,
      row.reason ?? 'open',
      formatInstant(row.until),
      String(row.waiting),
      formatInstant(row.lastPublishedAt),
      shorten(row.detail ?? '', 120),
    ]),
    'There are no channels yet: describe them in a file and run "headway apply FILE".',
  );
}
