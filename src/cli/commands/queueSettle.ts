import type { Command } from 'commander';
import { type Settlement, type SettleResult, settleUnknown } from '../../publishing/settleUnknown.ts';
import { failed, wrongUse } from '../CliError.ts';
import { print, printJson } from '../output.ts';
import { parseId, parseUrl } from '../parseArguments.ts';
import { type Common, subcommand } from '../queueSubcommand.ts';
import { withApp } from '../withApp.ts';

type Options = Common & { published?: boolean; url?: string; sendAgain?: boolean };

/** `headway queue settle`: a person ends an outcome that is not known. */
export function addSettle(queue: Command): void {
  subcommand(
    queue,
    'settle',
    'say of an article whose outcome is unknown that it went out, or is to be sent again',
    'settle 42 --published --url https://there.example/17',
  )
    .argument('<id>', 'its number in the list', parseId)
    .option('--published', 'it went out')
    .option('--url <url>', 'where it is, with --published', parseUrl)
    .option('--send-again', 'it did not go out: send it again, after a look there where that can be had')
    .action(async (id: number, options: Options) => {
      const settlement = settlementOf(options);
      await withApp(options, async ({ app, clock, signal }) => {
        const result = await settleUnknown(app.publishing, { id, settlement, actor: 'cli', clock, signal });
        if (options.json) printJson(toJson(id, result));
        else if (isDone(result)) print(sentence(id, settlement, result));
        if (!isDone(result)) throw failed(sentence(id, settlement, result));
      });
    });
}

function settlementOf({ published = false, sendAgain = false, url }: Options): Settlement {
  if (published === sendAgain) throw wrongUse('Either --published or --send-again.');
  if (sendAgain && url !== undefined) throw wrongUse('--url goes with --published.');
  return published ? { as: 'published', url: url ?? null } : { as: 'send_again' };
}

function isDone({ kind }: SettleResult): boolean {
  return kind === 'settled' || kind === 'unchanged';
}

function sentence(id: number, { as }: Settlement, result: SettleResult): string {
  switch (result.kind) {
    case 'settled':
      if (result.as === 'send_again') return `Article ${id} will be sent again.`;
      return as === 'published'
        ? `Article ${id} is published.`
        : `Article ${id} was found there, and is published: ${result.article.remoteUrl ?? 'without a URL'}.`;
    case 'unchanged':
      return `Article ${id} was so already.`;
    case 'refused':
      return `Article ${id} was left as it is: ${result.detail}.`;
    case 'not_found':
      return `There is no article ${id} in the queue.`;
    default:
      return result satisfies never;
  }
}

function toJson(id: number, result: SettleResult) {
  if (result.kind === 'not_found') return { routeArticleId: id, result: result.kind };
  const { publishStatus: state, attempts, remoteUrl } = result.article;
  const detail = result.kind === 'refused' ? result.detail : null;
  return { routeArticleId: id, result: result.kind, detail, state, attempts, remoteUrl };
}
