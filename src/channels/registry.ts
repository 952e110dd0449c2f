import { bluesky } from './bluesky.ts';
import type { Channel } from './Channel.ts';
import { discord } from './discord.ts';
import { files } from './files.ts';
import { ghost } from './ghost.ts';
import { lemmy } from './lemmy.ts';
import { mastodon } from './mastodon.ts';
import { nostr } from './nostr.ts';
import { slack } from './slack.ts';
import { telegram } from './telegram.ts';
import { webhook } from './webhook.ts';
import { wordpress } from './wordpress.ts';

/** Every platform: a new one is a file and a line here. The contract suite covers what is listed. */
export const channelRegistry: ReadonlyMap<string, Channel> = new Map<string, Channel>([
  [bluesky.platform, bluesky],
  [discord.platform, discord],
  [files.platform, files],
  [ghost.platform, ghost],
  [lemmy.platform, lemmy],
  [mastodon.platform, mastodon],
  [nostr.platform, nostr],
  [slack.platform, slack],
  [telegram.platform, telegram],
  [webhook.platform, webhook],
  [wordpress.platform, wordpress],
]);

/** The channel of a platform; null for one that does not exist. */
export function findChannel(platform: string): Channel | null {
  return channelRegistry.get(platform) ?? null;
}
