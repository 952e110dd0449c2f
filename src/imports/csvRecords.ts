import { csvRecord } from './csvRecord.ts';
import { mostArticleCharacters } from './sizes.ts';

/** `row`: as a spreadsheet numbers it, the first line of the text being `firstRow`. */
export type CsvRow =
  | { kind: 'cells'; row: number; cells: readonly string[] }
  | { kind: 'bad'; row: number; reason: string }
  | { kind: 'unreadable'; reason: string };

/** Looked through in vain, for quotes that are closed nowhere. */
const mostLookedInVain = 50 * mostArticleCharacters;

const tooLong = `it is longer than ${mostArticleCharacters.toLocaleString('en')} characters`;
const unclosedQuote = 'a quote is opened and not closed';
const tooManyQuotes = 'quotes are not closed in so many rows that it cannot be read as a table';

/**
 * The rows of a table, empty ones left out, in bounded memory: of a row that is too long nothing is kept, and
 * one whose quotes are broken costs only itself, since the next is looked for behind its first line.
 */
export async function* csvRecords(
  chunks: AsyncIterable<string>,
  { delimiter, firstRow }: { delimiter: string; firstRow: number },
): AsyncGenerator<CsvRow> {
  let row = firstRow;
  let lookedInVain = 0;
  let rest = '';
  let isSkipping = false;
  for await (const { chunk, isWhole } of withEnd(chunks)) {
    const text = rest + chunk;
    let at = 0;
    while (at < text.length) {
      if (isSkipping) {
        const next = nextLine(text, at);
        isSkipping = next === null;
        at = next ?? text.length;
        continue;
      }
      const record = csvRecord(text, at, { delimiter, isWhole });
      if (record.kind === 'more' && text.length - at <= mostArticleCharacters) break;
      if (record.kind === 'record') {
        const isTooLong = record.end - at > mostArticleCharacters;
        const isFilled = record.cells.some(cell => cell.trim() !== '');
        if (isTooLong) yield { kind: 'bad', row, reason: tooLong };
        else if (isFilled) yield { kind: 'cells', row, cells: record.cells };
        at = record.end;
      } else {
        const isOneLine = (nextLine(text, at) ?? Infinity) > at + mostArticleCharacters;
        yield { kind: 'bad', row, reason: isOneLine ? tooLong : unclosedQuote };
        if (!isOneLine) lookedInVain += (record.kind === 'unclosed' ? record.seenAt : text.length) - at;
        if (lookedInVain > mostLookedInVain) return yield { kind: 'unreadable', reason: tooManyQuotes };
        isSkipping = true;
      }
      row += 1;
    }
    rest = text.slice(at);
  }
}

/** Where the line behind the next end of line begins; null: it does not end in this text. */
function nextLine(text: string, from: number): number | null {
  const lineEnd = /\r\n|\r|\n/g;
  lineEnd.lastIndex = from;
  return lineEnd.exec(text) && lineEnd.lastIndex;
}

async function* withEnd(chunks: AsyncIterable<string>): AsyncGenerator<{ chunk: string; isWhole: boolean }> {
  for await (const chunk of chunks) yield { chunk, isWhole: false };
  yield { chunk: '', isWhole: true };
}
