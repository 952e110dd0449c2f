import { collapsed } from '../ingestion/plainText.ts';
import type { FeedRecord } from './records.ts';

const mostNameLength = 200;
const mostUrlLength = 2_000;

export type ReadFeed = { kind: 'feed'; feed: FeedRecord } | { kind: 'bad'; reason: string };

/** A feed by what a list of subscriptions says of it; named by its host where that is nothing. */
export function feedRecord(name: string, address: string): ReadFeed {
  const shown = JSON.stringify(address.slice(0, 80));
  const text = address
    .trim()
    .replace(/^feed:(?:\/\/)?(?=https?:)/i, '')
    .replace(/^feed:\/\//i, 'http://');
  if (!URL.canParse(text) || text.length > mostUrlLength)
    return { kind: 'bad', reason: `${shown} is no URL` };
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol)) return { kind: 'bad', reason: `${shown} is no http or https URL` };
  if (url.username !== '' || url.password !== '') {
    return {
      kind: 'bad',
      reason: `the URL at ${url.host} holds a user name or password, which feeds may not have`,
    };
  }
  const words = collapsed(name)
    .replace(/\p{Cc}/gu, '')
    .slice(0, mostNameLength)
    .trim();
  return { kind: 'feed', feed: { name: words || url.host, url: url.href } };
}
