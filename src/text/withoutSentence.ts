const openings = ['(', '[', '{'];
const closings = [')', ']', '}'];
const sentenceMark = /[.,;:!?'’‘*~|$%&@([{]$/;

/** An address without what the sentence around it left at its end: "https://x.test/a_(b))." ends in `b)`. */
export function withoutSentence(run: string): string {
  let url = run.slice(0, firstUnopened(run));
  while (sentenceMark.test(url)) url = url.slice(0, -1);
  return url;
}

/** Where a bracket closes that did not open; the length: nowhere. */
function firstUnopened(run: string): number {
  const open = [0, 0, 0];
  for (let at = 0; at < run.length; at += 1) {
    const opening = openings.indexOf(run.charAt(at));
    if (opening !== -1) open[opening] = (open[opening] ?? 0) + 1;
    const closing = closings.indexOf(run.charAt(at));
    if (closing === -1) continue;
    if (open[closing] === 0) return at;
    open[closing] = (open[closing] ?? 0) - 1;
  }
  return run.length;
}
