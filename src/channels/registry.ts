import type { Channel } from './Channel.ts';
import { files } from './files.ts';
import { webhook } from './webhook.ts';

/** Every platform: a new one is a file and a line here. The contract suite covers what is listed. */
export const channelRegistry: ReadonlyMap<string, Channel> = new Map<string, Channel>([
  [files.platform, files],
  [webhook.platform, webhook],
]);

/** The channel of a platform; null for one that does not exist. */
export function findChannel(platform: string): Channel | null {
  return channelRegistry.get(platform) ?? null;
}
