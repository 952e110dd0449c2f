import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { files } from '../../../src/channels/files.ts';
import type { ChannelHarness } from '../describeChannel.ts';

export const filesHarness: ChannelHarness = {
  channel: files,
  reconciliation: 'repeat',
  secrets: [],
  async open() {
    const parent = await mkdtemp(join(tmpdir(), 'headway-files-'));
    return {
      settings: { folder: join(parent, 'outbox') },
      posts: () => filesBelow(parent),
      close: () => rm(parent, { recursive: true, force: true }),
    };
  },
  refusals: [
    {
      // A file where the folder has to be: refused to every user, root included.
      name: 'a folder that cannot be written as failed',
      async arrange({ settings }) {
        const { folder } = files.settings.parse(settings);
        await writeFile(folder, 'in the way');
        return () => rm(folder);
      },
      expected: { kind: 'failed', code: 'write_failed', blames: 'channel', isFinal: false },
    },
  ],
  network: null,
};

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter(entry => entry.isFile()).map(entry => entry.name);
}
