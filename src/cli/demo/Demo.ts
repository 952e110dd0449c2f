import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../../app.ts';
import { channelRegistry } from '../../channels/registry.ts';
import { systemClock } from '../../clock.ts';
import { type Config, readConfig } from '../../config.ts';
import { createLogger } from '../../logger.ts';
import { listWorkspaces } from '../../models/workspaces.ts';
import { parseNetworks } from '../../network/addressGuard.ts';
import type { TickResult } from '../../publishing/tickResult.ts';
import type { Queues } from '../../queue/startQueues.ts';
import { checkTemplate } from '../../routing/checkTemplate.ts';
import { serve } from '../../serve.ts';
import { applyPlan } from '../../setup/applyPlan.ts';
import { readConfigFile } from '../../setup/readConfigFile.ts';
import { describeTick } from '../describeTick.ts';
import { describeWorkspace } from '../describeWorkspace.ts';
import { print, printJson } from '../output.ts';
import { demoConfig } from './demoConfig.ts';
import { type Neighbourhood, startNeighbourhood } from './startNeighbourhood.ts';

const showForMs = 26_000;

export type DemoOptions = {
  /** Go on until it is interrupted, with the web side. */
  keep?: boolean;
  /** Say nothing but one JSON object at the end. */
  json?: boolean;
};

/** One run of the demo, from its scratch folder to its summary. */
export class Demo {
  readonly #keep: boolean;
  readonly #isTold: boolean;
  readonly #stopping = new AbortController();
  #app: App | null = null;
  #lines: Promise<void> = Promise.resolve();

  constructor({ keep = false, json = false }: DemoOptions) {
    this.#keep = keep;
    this.#isTold = !json;
  }

  async run(): Promise<void> {
    const scratch = await mkdtemp(join(tmpdir(), 'headway-demo-'));
    // Where root runs it, the database belongs to another user, who must get in.
    await chmod(scratch, 0o755);
    const neighbourhood = await startNeighbourhood();
    const stop = () => this.#stopping.abort();
    process.once('SIGINT', stop).once('SIGTERM', stop);
    try {
      await this.#serve(scratch, neighbourhood);
    } finally {
      await neighbourhood.close();
      await rm(join(scratch, 'data'), { recursive: true, force: true });
    }
  }

  async #serve(scratch: string, neighbourhood: Neighbourhood): Promise<void> {
    this.#say('Starting PostgreSQL, queues and feeds in a scratch folder …');
    const outbox = join(scratch, 'outbox');
    await serve({
      config: configFor(scratch),
      logger: createLogger('error'),
      isWorker: true,
      hasWeb: this.#keep,
      stopping: this.#stopping.signal,
      announce: text => this.#say(text),
      onTick: result => this.#tell(result),
      onRunning: async ({ app, queues, web }) => {
        this.#app = app;
        await this.#begin({ app, queues, scratch, outbox, neighbourhood });
        if (web) this.#say(`Web side: http://127.0.0.1:${web.port}/queues (user admin). Ctrl-C ends.`);
        await this.#watch();
        await this.#summarise(app, { outbox, neighbourhood });
        this.#stopping.abort();
      },
    });
  }

  async #begin(setting: {
    app: App;
    queues: Queues;
    scratch: string;
    outbox: string;
    neighbourhood: Neighbourhood;
  }): Promise<void> {
    const { app, queues, scratch, outbox, neighbourhood } = setting;
    const file = join(scratch, 'config.yaml');
    await writeFile(file, demoConfig({ url: neighbourhood.url, folder: outbox }));
    const setup = await readConfigFile(file, { env: {}, channels: channelRegistry, checkTemplate });
    const { db, secretBox: box } = app;
    await applyPlan(db, setup, { box, now: systemClock.now(), actor: 'demo' });
    const { signal } = this.#stopping;
    const { feeds } = await app.ingestFeeds.handle({ isForced: true }, { clock: systemClock, signal });
    for (const { name, newArticles, routed } of feeds) {
      this.#say(`Feed ${name}: ${newArticles} articles, ${routed} routed`);
    }
    this.#say(`\nA tick every 2 seconds, at most one publication each (config: ${file})\n`);
    await queues.reconcile();
  }

  /** Until the time is up, or somebody ends it: the summary follows at once. */
  async #watch(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await sleep(showForMs, undefined, { signal }).catch(() => {});
      if (!this.#keep) return;
    }
  }

  // One after the other, so that lines of two ticks do not mix.
  #tell(result: TickResult): void {
    this.#lines = this.#lines.then(async () => {
      const waiting = this.#app ? await waitingIn(this.#app) : '';
      this.#say(`${describeTick(result)}\n    waiting: ${waiting}`);
    });
  }

  async #summarise(
    app: App,
    { outbox, neighbourhood }: { outbox: string; neighbourhood: Neighbourhood },
  ): Promise<void> {
    await this.#lines;
    const { published, skipped, dead, unknown, holds } = await describeDemo(app);
    const received = neighbourhood.received.length;
    if (!this.#isTold) return printJson({ published, skipped, dead, unknown, holds, received, outbox });
    print(`\nPublished ${published}, skipped ${skipped}, dead ${dead}, unknown ${unknown}.`);
    for (const { channel, reason, until, detail } of holds) {
      print(
        `  channel ${channel} waits: ${reason}${until ? ` until ${until.toISOString()}` : ''} (${detail ?? 'by setting'})`,
      );
    }
    print(`The webhook receiver took ${received} posts.`);
    print(`The Markdown files are in ${outbox}`);
  }

  #say(text: string): void {
    if (this.#isTold) print(text);
  }
}

async function describeDemo(app: App) {
  const [workspace] = await listWorkspaces(app.db);
  if (!workspace) throw new Error('the demo has lost its workspace');
  return describeWorkspace({ app, clock: systemClock, isRehearsal: false }, workspace);
}

async function waitingIn(app: App): Promise<string> {
  const { waiting } = await describeDemo(app);
  return Object.entries(waiting)
    .map(([reason, count]) => `${count} ${reason}`)
    .join(', ');
}

function configFor(scratch: string): Config {
  const settings = {
    HEADWAY_DATA_DIR: join(scratch, 'data'),
    HEADWAY_ALLOW_NETWORKS: '127.0.0.0/8',
    HEADWAY_SHUTDOWN_GRACE: '5s',
    PORT: '0',
  };
  return readConfig(settings, { parseNetworks });
}
