import { withoutControls } from '../text/withoutControls.ts';

/** What no server takes is no link. */
const maxUrlLength = 8_000;
/** A tag of this length names a language, a script, a region and more. */
const maxLanguageLength = 35;
const noLanguage = /^(?:und|mul|mis|zxx)\b/;

/**
 * A text on one line, without control characters, at most `maxLength` long (UTF-16 units), cut after a word
 * where one ends near; null: nothing is left.
 */
export function shortText(text: string, maxLength: number): string | null {
  // What is not looked at costs nothing: a page may hold half a megabyte of it.
  const line = withoutControls(text.slice(0, maxLength * 8))
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .replace(/\s+/g, ' ')
    .trim();
  if (line.length <= maxLength) return line || null;
  const lastBlank = line.lastIndexOf(' ', maxLength - 1);
  const end = lastBlank > maxLength / 2 ? lastBlank : maxLength - 1;
  return `${line.slice(0, end).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** A link as an absolute http or https URL; null: it is none, or longer than any. */
export function httpUrl(link: string | undefined, base: string): string | null {
  const trimmed = link?.trim() ?? '';
  if (trimmed === '' || trimmed.length > maxUrlLength) return null;
  try {
    const { protocol, href } = new URL(trimmed, URL.canParse(base) ? base : undefined);
    return /^https?:$/.test(protocol) ? href : null;
  } catch {
    return null;
  }
}

/** A language tag (BCP 47) in its canonical form: `en_us` is `en-US`; null: it names no language. */
export function languageTag(text: string): string | null {
  const tag = text
    .trim()
    .replace(/\.[\w-]+$/, '')
    .replaceAll('_', '-');
  if (tag.length > maxLanguageLength || !/^[a-z]{2,3}(?:-[a-z0-9]{1,8})*$/i.test(tag)) return null;
  try {
    const [canonical = ''] = Intl.getCanonicalLocales(tag);
    return noLanguage.test(canonical) ? null : canonical;
  } catch {
    return null;
  }
}

/** Whether it is an address where a name was asked for: publishers fill in the one for the other. */
export function isAddress(text: string): boolean {
  return /^\s*(?:https?:)?\/\//i.test(text);
}
