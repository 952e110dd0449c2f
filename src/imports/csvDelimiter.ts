const delimiters = [',', ';', '\t', '|'];

/** What parts the cells of a table: what its first line has most of, outside of quotes. */
export function findDelimiter(line: string): string {
  const open = line.replace(/"[^"]*"?/g, '');
  const counted = delimiters.map(delimiter => ({ delimiter, count: open.split(delimiter).length }));
  return counted.reduce((best, each) => (each.count > best.count ? each : best), { delimiter: ',', count: 1 })
    .delimiter;
}
