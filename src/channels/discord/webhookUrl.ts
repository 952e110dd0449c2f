import type { Answer } from '../answerOutcome.ts';

export type DiscordHook = {
  /** The server's origin: Discord's many names are one. */
  instance: string;
  id: string;
  token: string;
  /** Where to post, without a query. */
  url: string;
};

const hookPath = /^\/(?:[\w.~-]+\/)*webhooks\/(\d{1,20})\/([\w-]{1,200})\/?$/;
const discordHosts = /^(?:(?:ptb|canary)\.)?(?:discord|discordapp)\.com$/;

/** What a webhook's URL says; null for what is none. Servers of others that speak Discord's API are welcome. */
export function readHook(text: string): DiscordHook | null {
  if (!URL.canParse(text)) return null;
  const { protocol, host, origin, pathname, username, password, search, hash } = new URL(text);
  const [, id, token] = hookPath.exec(pathname) ?? [];
  if (id === undefined || token === undefined) return null;
  if (!/^https?:$/.test(protocol) || [username, password, search, hash].some(part => part !== ''))
    return null;
  if (!discordHosts.test(host)) return { instance: origin, id, token, url: origin + pathname };
  // Without a version Discord answers as version 6: errors without codes, and waits in milliseconds.
  const instance = 'https://discord.com';
  return { instance, id, token, url: `${instance}/api/v10/webhooks/${id}/${token}` };
}

/** An answer that can be quoted: a proxy's error page may repeat the path, and with it the token. */
export function withoutToken(answer: Answer, { token }: DiscordHook): Answer {
  return { ...answer, body: answer.body.replaceAll(token, '(token)') };
}
