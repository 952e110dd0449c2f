import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { History } from '../../test/faults/support/history.ts';

const mostLogLines = 40;

/**
 * Everything that is known of the article that a violation is about: its tries, its changes of state, and what
 * the workers logged of it. Empty: it is about none.
 */
export async function tellStory(sentence: string, history: History, logFolder: string): Promise<string[]> {
  const id = articleOf(sentence, history);
  if (id === null) return [];
  const ofIt = <Row extends { routeArticleId: number | null }>(rows: readonly Row[]) =>
    rows.filter(row => row.routeArticleId === id);
  const { publications, attempts, transitions, audits, alerts, acceptedAfter } = history;
  const keys = new Set(ofIt(publications).map(({ postKey }) => postKey));
  const title = history.routeArticles.find(row => row.id === id)?.title;
  const posts = acceptedAfter.filter(post => post.title === title || keys.has(post.postKey));
  const told = [
    ...history.routeArticles.filter(row => row.id === id).map(row => ['row', row] as const),
    ...ofIt(publications).map(row => ['publication', row] as const),
    ...ofIt(transitions).map(row => ['transition', row] as const),
    ...ofIt(attempts).map(row => ['attempt', row] as const),
    ...ofIt(audits).map(row => ['audit', row] as const),
    ...ofIt(alerts).map(row => ['alert', row] as const),
    ...posts.map(({ body: _, ...post }) => ['accepted', post] as const),
  ];
  return [
    ...told.map(([what, row]) => `${what} ${JSON.stringify(row)}`),
    ...(await logLinesOf(id, logFolder)).slice(0, mostLogLines),
  ];
}

function articleOf(sentence: string, { routeArticles }: History): number | null {
  const [, id] = /route article (\d+)/.exec(sentence) ?? [];
  if (id !== undefined) return Number(id);
  const [, title] = /"([^"]+)"/.exec(sentence) ?? [];
  return routeArticles.find(row => row.title === title)?.id ?? null;
}

/** In the order of their (shiftable) times. */
async function logLinesOf(id: number, logFolder: string): Promise<string[]> {
  const mentions = new RegExp(`"routeArticleId":${id}[,}]`);
  const lines: { line: string; time: string }[] = [];
  for (const name of await readdir(logFolder)) {
    const log = await readFile(join(logFolder, name), 'utf8');
    for (const line of log.split('\n').filter(text => mentions.test(text))) {
      const [, time = ''] = /"time":"([^"]+)"/.exec(line) ?? [];
      lines.push({ line: `${name}: ${line}`, time });
    }
  }
  return lines.sort((a, b) => a.time.localeCompare(b.time)).map(({ line }) => line);
}
