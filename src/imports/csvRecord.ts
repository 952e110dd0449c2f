/**
 * One record of a text; the next begins at `end`. `more`: the text does not hold the whole of it. `unclosed`: a
 * quote is opened and not closed, as it turned out only at `seenAt`.
 */
export type CsvRecord =
  | { kind: 'record'; cells: string[]; end: number }
  | { kind: 'more' }
  | { kind: 'unclosed'; seenAt: number };

type Cell = { kind: 'cell'; text: string; end: number };
type Broken = { kind: 'more' } | { kind: 'unclosed'; seenAt: number };

/**
 * Reads the record that begins at a place in a text (RFC 4180, with what spreadsheets make of it: any end of
 * line, blanks around quotes, a quote within a quoted cell that is not doubled). But once a quoted cell goes on
 * over several lines, such a quote means that an earlier one was never closed: what follows are other records.
 * `isWhole`: nothing comes behind the text.
 */
export function csvRecord(
  text: string,
  from: number,
  { delimiter, isWhole }: { delimiter: string; isWhole: boolean },
): CsvRecord {
  const cells: string[] = [];
  let at = from;
  for (;;) {
    const cell = readCell(text, at, delimiter);
    if (cell.kind === 'more' && isWhole) return { kind: 'unclosed', seenAt: text.length };
    if (cell.kind !== 'cell') return cell;
    cells.push(cell.text);
    const next = text.charAt(cell.end);
    if (next === delimiter) at = cell.end + 1;
    else if (next === '') return isWhole ? { kind: 'record', cells, end: cell.end } : { kind: 'more' };
    else {
      const isPair = next === '\r' && text.charAt(cell.end + 1) === '\n';
      // It may be the first half of a pair.
      if (next === '\r' && !isWhole && cell.end + 1 === text.length) return { kind: 'more' };
      return { kind: 'record', cells, end: cell.end + (isPair ? 2 : 1) };
    }
  }
}

function readCell(text: string, from: number, delimiter: string): Cell | Broken {
  let open = from;
  while (text.charAt(open) === ' ') open += 1;
  return text.charAt(open) === '"' ? readQuoted(text, open, delimiter) : readPlain(text, from, delimiter);
}

function readPlain(text: string, from: number, delimiter: string): Cell {
  let end = from;
  while (end < text.length && !isEnd(text.charAt(end), delimiter)) end += 1;
  return { kind: 'cell', text: text.slice(from, end), end };
}

function readQuoted(text: string, open: number, delimiter: string): Cell | Broken {
  const pieces: string[] = [];
  let isOnOneLine = true;
  let from = open + 1;
  for (let quote = text.indexOf('"', from); quote !== -1; quote = text.indexOf('"', from)) {
    const piece = text.slice(from, quote);
    pieces.push(piece);
    isOnOneLine &&= !/[\r\n]/.test(piece);
    if (text.charAt(quote + 1) === '"') {
      pieces.push('"');
      from = quote + 2;
      continue;
    }
    let end = quote + 1;
    while (text.charAt(end) === ' ') end += 1;
    const next = text.charAt(end);
    if (next === '' || isEnd(next, delimiter)) return { kind: 'cell', text: pieces.join(''), end };
    if (!isOnOneLine) return { kind: 'unclosed', seenAt: quote };
    pieces.push('"');
    from = quote + 1;
  }
  return { kind: 'more' };
}

function isEnd(character: string, delimiter: string): boolean {
  return character === delimiter || character === '\n' || character === '\r';
}
