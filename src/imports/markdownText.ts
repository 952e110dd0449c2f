/** Enough for a summary, and little to go through. */
const mostLooked = 5_000;

/** The first heading of the first order. */
export function firstHeading(body: string): string | undefined {
  const [, text] = /^#[ \t]+(.+?)[ \t]*#*$/m.exec(body.slice(0, mostLooked)) ?? [];
  return text === undefined ? undefined : withoutMarks(text);
}

/** The first paragraph of running text, its Markdown taken out; HTML in it stays. */
export function firstParagraph(body: string): string | undefined {
  const blocks = body.slice(0, mostLooked).split(/\n[ \t]*\n/);
  let isCode = false;
  for (const block of blocks) {
    const text = block.trim();
    const fences = text.match(/^(```|~~~)/gm)?.length ?? 0;
    const isInCode = isCode || fences > 0;
    if (fences % 2 === 1) isCode = !isCode;
    if (isInCode || text === '' || isApart(text)) continue;
    const words = withoutMarks(text);
    if (words !== '') return words;
  }
  return undefined;
}

/** Headings, rules, lists, tables, quotes, pictures alone, imports, and what generators put in. */
function isApart(text: string): boolean {
  return /^(#|[-*_]{3,}\s*$|[-*+] |\d+[.)] |\||>|import |export |\{%|\{\{|:::|<!--|!\[[^\]]*\]\([^)]*\)$)/.test(
    text,
  );
}

function withoutMarks(text: string): string {
  return text
    .replace(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replace(/\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, '$1')
    .replace(/(\*\*|__)(?=\S)([^*_]+)\1/g, '$2')
    .replace(/(?<![\w*])\*(?=\S)([^*]+)\*/g, '$1')
    .replace(/(?<![\w_])_(?=\S)([^_]+)_(?!\w)/g, '$1')
    .replace(/`([^`]*)`/g, '$1')
    .trim();
}
