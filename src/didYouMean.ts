/** ` (did you mean "tech"?)` for the candidate that `text` most likely was to be; empty for none. */
export function didYouMean(text: string, candidates: Iterable<string>): string {
  const limit = Math.max(1, Math.floor(text.length / 3));
  const near = [...candidates]
    .map(candidate => ({ candidate, distance: editDistance(text.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance);
  return near[0] ? ` (did you mean "${near[0].candidate}"?)` : '';
}

// Letters put in, left out, replaced, or two swapped: each is one step.
function editDistance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    rows.push(current);
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const swapped = isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY;
      const replaced = at(row - 1, column - 1) + (isSame ? 0 : 1);
      current.push(Math.min(replaced, swapped, at(row - 1, column) + 1, at(row, column - 1) + 1));
    }
  }
  return at(from.length, to.length);
}
