import type { Command } from 'commander';
import type { DemoOptions } from '../demo/Demo.ts';

/** `headway demo`: the main job on an embedded database, with real feeds, in half a minute. */
export function addDemo(program: Command): void {
  program
    .command('demo')
    .description('watch it work: feeds in, one article out per tick, in a scratch folder')
    .option('--keep', 'go on until Ctrl-C, with the web side')
    .option('--json', 'print one JSON object at the end, and nothing before')
    .addHelpText('after', '\nExample:\n  $ headway demo --keep')
    .action(async (options: DemoOptions) => {
      // Loaded only here, as with the servers: the other commands start a third faster without it.
      const { Demo } = await import('../demo/Demo.ts');
      await new Demo(options).run();
    });
}
