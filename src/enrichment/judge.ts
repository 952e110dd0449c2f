import robotsParser from 'robots-parser';
import type { RobotsRules } from './fetchRules.ts';

/** `crawlDelayMs`: how long to wait between two requests to this origin; 0: it asks for nothing. */
export type RobotsVerdict =
  | { kind: 'allowed'; crawlDelayMs: number }
  | { kind: 'disallowed' }
  | { kind: 'unknown'; detail: string };

// It is CommonJS, whose whole export Node takes for the default; its types speak of a `default` within that.
const parseRobots = robotsParser as unknown as typeof robotsParser.default;

const maxCrawlDelayMs = 60_000;
/** Of path and query: what a rule costs grows with it. */
const maxPathLength = 2_048;

/** What an origin's robots.txt says of a page of this origin. `token`: our name in it. Crawl-delay counts up to 60 s. */
export function judge(rules: RobotsRules, { url, token }: { url: string; token: string }): RobotsVerdict {
  if (rules.kind === 'unknown') return rules;
  if (rules.kind === 'excessive') return { kind: 'unknown', detail: 'it has more rules than are read' };
  const { origin, pathname, search } = new URL(url);
  if (pathname.length + search.length > maxPathLength)
    return { kind: 'unknown', detail: `a path longer than ${maxPathLength} characters is not judged` };
  const robots = parseRobots(`${origin}/robots.txt`, rules.text);
  if (robots.isDisallowed(url, token)) return { kind: 'disallowed' };
  return { kind: 'allowed', crawlDelayMs: crawlDelayMs(robots.getCrawlDelay(token)) };
}

function crawlDelayMs(seconds: number | undefined): number {
  if (seconds === undefined || !(seconds > 0)) return 0;
  return Math.min(Math.ceil(seconds * 1_000), maxCrawlDelayMs);
}
