/**
 * Tags as hashtags, separated by blanks: `machine learning` becomes `#MachineLearning`. What a platform would
 * not take for one (no letter in it) is left out, as is what came before in other letters.
 */
export function hashtags(tags: readonly string[]): string {
  const seen = new Set<string>();
  for (const tag of tags) {
    const word = hashtagWord(tag);
    const isNew = ![...seen].some(other => other.toLowerCase() === word.toLowerCase());
    if (/\p{L}/u.test(word) && isNew) seen.add(word);
  }
  return [...seen].map(word => `#${word}`).join(' ');
}

function hashtagWord(tag: string): string {
  const words = tag.normalize('NFC').match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [];
  if (words.length === 1) return words[0] ?? '';
  return words.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
