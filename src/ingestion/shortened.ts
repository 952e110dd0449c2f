/**
 * Cuts a text at the last word that fits into `maxCharacters` (code points), with an ellipsis. A text without
 * a blank near the end is cut in mid-word, never in mid-character.
 */
export function shortened(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const characters = Array.from(text.slice(0, maxCharacters * 2 + 2));
  if (characters.length <= maxCharacters) return text;
  const head = characters.slice(0, maxCharacters - 1).join('');
  const lastBlank = head.lastIndexOf(' ');
  const cut = lastBlank > head.length / 2 ? head.slice(0, lastBlank) : head;
  return `${cut.trimEnd()}…`;
}
