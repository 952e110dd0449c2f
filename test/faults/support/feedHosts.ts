import { once } from 'node:events';
import { createServer } from 'node:http';

/** A server that is as many hosts as one likes, each with a feed and its articles: all of 127.0.0.0/8 leads to it. */
export type FeedHosts = {
  /** The feed of the host of this number, from 0 on. */
  urlOf(number: number): string;
  close(): Promise<void>;
};

/** Only Linux answers on all of 127.0.0.0/8 by itself. */
export function hasManyHosts(): boolean {
  const isThere = process.platform === 'linux';
  if (!isThere) process.stderr.write('Tests with many hosts are skipped: 127.0.0.0/8 is one address here\n');
  return isThere;
}

const perNetwork = 250;
const slowMs = 2_000;
const feedPath = '/feed.xml';

type FeedHostsOptions = {
  /** Of each feed: no two of all are the same. */
  items: number;
  /** So many hosts, the first ones, have documents that take long to take apart. */
  heavy?: number;
  /** So many hosts, the next ones, answer after two seconds. */
  slow?: number;
};

/** Opens it. */
export async function openFeedHosts({ items, heavy = 0, slow = 0 }: FeedHostsOptions): Promise<FeedHosts> {
  const server = createServer((request, response) => {
    // Whoever looks where its links lead finds pages.
    if (request.url !== feedPath) return void response.end('A page.');
    const host = request.headers.host ?? '';
    const number = numberOf(host);
    const isSlow = number >= heavy && number < heavy + slow;
    const document = feedOf(host, items, number < heavy ? ballast : '');
    response.writeHead(200, { 'content-type': 'application/rss+xml; charset=utf-8' });
    setTimeout(() => response.end(document), isSlow ? slowMs : 0);
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    urlOf: number => `http://${addressOf(number)}:${port}${feedPath}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function addressOf(number: number): string {
  return `127.1.${Math.floor(number / perNetwork)}.${1 + (number % perNetwork)}`;
}

function numberOf(host: string): number {
  const [, , network, place] = (host.split(':')[0] ?? '').split('.');
  return Number(network) * perNetwork + Number(place) - 1;
}

const content = `<p>${'What happened today in the town by the river. '.repeat(30)}</p>`;
/** Of one item of fifty: a little less than what a document may hold. Nothing of it is stored. */
const ballast = '<x:note>n</x:note>'.repeat(5_500);

function feedOf(host: string, items: number, extra: string): string {
  const xml = Array.from(
    { length: items },
    (_, place) => `
    <item>
      <title>News ${place} of ${host}</title>
      <link>http://${host}/articles/${place}</link>
      <guid isPermaLink="false">${host}/${place}</guid>
      <pubDate>${new Date(Date.UTC(2026, 0, 1, 0, place)).toUTCString()}</pubDate>
      <description><![CDATA[${content}]]></description>${extra}
    </item>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:x="urn:x"><channel><title>${host}</title><link>http://${host}/</link><description>News</description>${xml.join('')}
</channel></rss>`;
}
