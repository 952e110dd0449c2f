import { readFile } from 'node:fs/promises';
import { decodeEntities } from '../ingestion/decodeEntities.ts';
import { decodeFeed } from '../ingestion/decodeFeed.ts';
import { feedRecord } from './feedRecord.ts';
import { findFileProblem } from './openFile.ts';
import { readXml, type XmlHandler } from './readXml.ts';
import type { Reading, SourceRow } from './SourceRow.ts';

const mostBytes = 10_000_000;
const chunkCharacters = 65_536;

/** Reads a list of subscriptions, whatever its folders: the feeds, numbered in the order of the file. */
export async function* readOpml(path: string, { signal }: { signal: AbortSignal }): Reading {
  const problem = await findFileProblem(path, mostBytes);
  if (problem !== null) return yield { kind: 'unreadable', reason: problem };
  const { text } = decodeFeed(await readFile(path, { signal }), null);
  yield* readXml(inChunks(text), { root: 'opml', handler: outlineHandler(), what: 'OPML file' });
}

function outlineHandler(): XmlHandler<SourceRow> {
  let found: SourceRow[] = [];
  let row = 0;
  return {
    onOpen(name, attributes) {
      if (name.toLowerCase() !== 'outline') return;
      const given = new Map(Object.entries(attributes).map(([key, value]) => [key.toLowerCase(), value]));
      const address = given.get('xmlurl');
      const isFeed = /^(rss|atom)/i.test(given.get('type') ?? '');
      if (address === undefined && !isFeed) return;
      row += 1;
      // Titles that were escaped twice are common.
      const title = decodeEntities(given.get('title')?.trim() || given.get('text') || '');
      found.push(
        address?.trim()
          ? { row, ...feedRecord(title, address) }
          : { kind: 'bad', row, reason: `${JSON.stringify(title.slice(0, 80))} has no xmlUrl` },
      );
    },
    onText() {},
    onClose() {},
    take() {
      const taken = found;
      found = [];
      return taken;
    },
  };
}

async function* inChunks(text: string): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += chunkCharacters) yield text.slice(at, at + chunkCharacters);
}
