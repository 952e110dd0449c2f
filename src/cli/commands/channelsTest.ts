import type { Command } from 'commander';
import type { Finding, Post } from '../../channels/Channel.ts';
import { type Destination, loadDestination } from '../../models/channels.ts';
import { loadPreviewSource, type PreviewSource } from '../../models/previews.ts';
import { loadSchedule } from '../../models/schedule.ts';
import type { NotReady, Prepared } from '../../publishing/ArticlePublishingService.ts';
import { renderTemplate } from '../../routing/renderTemplate.ts';
import { failed } from '../CliError.ts';
import { findNamed } from '../findNamed.ts';
import { print, printJson, printTable } from '../output.ts';
import { parseId } from '../parseArguments.ts';
import { type CommandContext, chooseWorkspace, withApp } from '../withApp.ts';

type Options = { json?: boolean; workspace?: string };

/** `headway channels test` and `preview`: what a channel would do, without posting. */
export function addChannelTests(channels: Command): void {
  channels
    .command('test')
    .argument('<name>', 'the channel')
    .description('check credentials, rights, visibility and limits; nothing is posted')
    .option('--workspace <name>', 'which workspace (default: the only one)')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ headway channels test tech')
    .action(async (name: string, options: Options) => withApp({}, context => test(context, name, options)));
  channels
    .command('preview')
    .argument('<article>', 'an ID of queue list', parseId)
    .argument('<channel>', 'the channel, also one that the article is not routed to')
    .description('show the exact post that an article would be, with its length; nothing is posted')
    .option('--workspace <name>', 'which workspace (default: the only one)')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ headway channels preview 17 tech')
    .action(async (id: number, name: string, options: Options) =>
      withApp({}, context => preview(context, { id, name }, options)),
    );
}

async function test(context: CommandContext, name: string, { workspace, json }: Options): Promise<void> {
  const { clock, signal } = context;
  const { prepared } = await prepare(context, name, workspace);
  const findings =
    prepared.kind === 'ready' ? await prepared.check({ clock, signal }) : [findingOf(prepared)];
  const isOk = findings === null || findings.every(finding => finding.isOk);
  if (json) printJson({ channel: name, isOk, canBeAsked: findings !== null, findings: findings ?? [] });
  else describe(name, findings);
  if (!isOk) throw failed(`Channel ${name} would not post as it is.`);
}

// Found out without asking anybody.
function findingOf(notReady: NotReady): Finding {
  const { detail } = notReady;
  const isAboutAccount = notReady.code === 'no_account' || notReady.code === 'unauthorized';
  return { subject: isAboutAccount ? 'credentials' : 'settings', isOk: false, detail };
}

function describe(name: string, findings: readonly Finding[] | null): void {
  if (findings === null) {
    print(
      `The settings of channel ${name} can be read. Its platform cannot be asked for more without posting.`,
    );
    return;
  }
  const rows = findings.map(({ subject, isOk, detail }) => [isOk ? 'ok' : 'WRONG', subject, detail]);
  printTable(['', 'ABOUT', 'FOUND'], rows, `Nothing was found out about channel ${name}.`);
}

async function preview(
  context: CommandContext,
  { id, name }: { id: number; name: string },
  { workspace, json }: Options,
): Promise<void> {
  const { app, clock, signal } = context;
  const { prepared, destination } = await prepare(context, name, workspace);
  const channel = prepared.kind === 'ready' ? prepared : withoutAccount(context, destination);
  if (channel.kind !== 'ready') throw failed(`Channel ${name} cannot be used: ${channel.detail}`);
  const source = await loadPreviewSource(app.db, { routeArticleId: id, channelId: destination.id });
  if (!source) throw failed(`There is no article ${id} in the queue.`);
  const { parts, notes } = await channel.preview(toPost(source, destination.id), { clock, signal });
  if (json) return printJson({ article: id, channel: name, parts, notes });
  for (const { name: part, text, count } of parts) {
    const length = count ? ` (${count.length} of ${count.limit} ${count.unit})` : '';
    print(`--- ${part}${length}\n${text}`);
  }
  for (const note of notes) print(`! ${note}`);
}

// Where it is not routed to that channel, as its route would have it.
function toPost(source: PreviewSource, channelId: number): Post {
  const {
    channelId: ownChannel,
    articleTitle,
    template,
    postCreatedAt,
    articlePublishedAt,
    ...rest
  } = source;
  const isRouted = ownChannel === channelId;
  const text = isRouted
    ? source.text
    : renderTemplate(template ?? '{{ title }}', { ...source, title: articleTitle });
  const title = isRouted ? source.title : articleTitle;
  const instants = {
    postCreatedAt: postCreatedAt.toISOString(),
    articlePublishedAt: articlePublishedAt.toISOString(),
  };
  return { ...rest, ...instants, title, text, refusals: 0 };
}

async function prepare({ app }: CommandContext, name: string, workspace: string | undefined) {
  const { id: workspaceId } = await chooseWorkspace(app, workspace);
  const channels = (await loadSchedule(app.db, workspaceId))?.channels ?? [];
  const { id } = findNamed('channel', name, channels);
  const destination = await loadDestination(app.db, id);
  return { destination, prepared: app.publishing.service.prepare(destination) };
}

// A post can be shown while its account cannot be used: with the platform's own limits.
function withoutAccount({ app }: CommandContext, destination: Destination): Prepared {
  return app.publishing.service.prepare({ ...destination, needsAccount: false, accountId: null });
}
