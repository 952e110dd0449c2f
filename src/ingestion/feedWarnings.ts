import { declaredEncodings } from './decodeFeed.ts';
import type { FeedItem } from './FeedItem.ts';
import { minimumWaitMs } from './minimumWait.ts';
import type { Recognised } from './recogniseItems.ts';
import type { Answer } from './testFeed.ts';
import { believedDate } from './toArticle.ts';

export type TestedFeed = {
  answer: Answer;
  encoding: string;
  items: readonly FeedItem[];
  recognised: Recognised<unknown>;
  /** For how long the document asks not to be read again. */
  ttlMs: number;
  now: Date;
};

/** What is odd about a feed that was read all the same, for a person: each oddity with what is made of it. */
export function feedWarnings({ answer, encoding, items, recognised, ttlMs, now }: TestedFeed): string[] {
  const count = (isOdd: (item: FeedItem) => boolean) => items.filter(isOdd).length;
  const { fresh, seen, repeated } = recognised;
  return [
    ...answerWarnings(answer, ttlMs, now),
    ...encodingWarnings(answer, encoding),
    ...(items.length === 0 ? ['it holds no items'] : []),
    ...counted(
      'items without a link',
      count(({ url }) => url === null),
    ),
    ...counted(
      'items without a date that can be read, which count as first seen now',
      count(({ publishedAt }) => publishedAt === null),
    ),
    ...counted(
      'items dated in the future, which count as first seen now',
      count(item => item.publishedAt !== null && believedDate(item, now) === null),
    ),
    ...counted('guids that stand for several links, and are not trusted', repeated.size),
    ...counted('items that are another one again', items.length - fresh.length - seen.length),
  ];
}

function answerWarnings({ headers, movedTo }: Answer, ttlMs: number, now: Date): string[] {
  const contentType = headers['content-type'];
  const isOdd = contentType !== undefined && !/xml|json|rss|atom|text\/plain/i.test(contentType);
  const waitMinutes = Math.round(Math.max(ttlMs, minimumWaitMs(headers, now)) / 60_000);
  const hasValidator = headers.etag !== undefined || headers['last-modified'] !== undefined;
  return [
    ...(movedTo === null ? [] : [`it has moved for good to ${movedTo}`]),
    ...(contentType === undefined ? ['it is served without a Content-Type'] : []),
    ...(isOdd ? [`it is served as ${contentType}`] : []),
    ...(waitMinutes > 0 ? [`it asks to be left alone for ${waitMinutes} min after each read`] : []),
    ...(hasValidator ? [] : ['it has neither ETag nor Last-Modified, and is read whole each time']),
  ];
}

function encodingWarnings({ body, headers }: Answer, encoding: string): string[] {
  const [declared] = declaredEncodings(body, headers['content-type'] ?? null);
  if (declared === undefined || declared === encoding) return [];
  return [`it says that it is ${declared}, and its bytes are ${encoding}`];
}

function counted(what: string, count: number): string[] {
  return count === 0 ? [] : [`${what}: ${count}`];
}
