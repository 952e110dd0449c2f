import { graphemes } from './graphemes.ts';

export type MastodonCount = {
  /** `configuration.statuses.characters_reserved_per_url` of the instance; 23 on Mastodon. */
  charactersReservedPerUrl: number;
};

// Mastodon's own rules for a link (config/initializers/twitter_regex.rb over twitter-text) and for a mention
// (Account::MENTION_RE). What they leave outside a link counts in full: so does an address whose top-level
// domain it does not know. We know only those that will never be delegated (RFC 2606, 6762, 9476, ICANN).
const undelegated = 'test|example|invalid|localhost|local|alt|internal|lan|home|corp';
const topLevel = String.raw`(?!(?:${undelegated})(?![\p{L}\p{N}-]))(?:xn--[a-z0-9\-]+|[a-z]{2,}|[^\P{L}a-z]{2,})`;
const host = String.raw`(?:[\p{L}\p{M}\p{N}_\-]+\.)+${topLevel}(?![a-z0-9@+\-])`;
const pathCharacter = String.raw`[^\s<>()?]`;
const brackets = String.raw`\((?:${pathCharacter}+|${pathCharacter}*\(${pathCharacter}+\)${pathCharacter}*)\)`;
const pathEnd = String.raw`[^\s()?!*"'「」<>;:=,.$%\[\]~&\|@]`;
const path = String.raw`\/(?:(?:${pathCharacter}|${brackets})*(?:${pathEnd}|${brackets}))?`;
const query = String.raw`\?[a-z0-9!?*'();:&=+$\/%#\[\]\-_.,~\|@^\u{a0}-\u{10ffff}]*[a-z0-9_&=#\/\-\u{a0}-\u{10ffff}]`;
const link = new RegExp(
  String.raw`(?<![a-z0-9@＠$#＃])https?:\/\/${host}(?::\d+)?(?:${path})?(?:${query})?`,
  'giu',
);

const user = String.raw`[A-Za-z0-9_]+(?:[.\-]+[A-Za-z0-9_]+)*`;
const word = String.raw`[\p{L}\p{M}\p{Nd}\p{Pc}]`;
const mention = new RegExp(String.raw`(?<!${word}|[=\/])@(${user})(?:@${word}+(?:[.\-]+${word}+)*)?`, 'gu');
const notBehindMention = /^(?:[@＠À-ÖØ-öø-ÿ]|:\/\/)/;

/**
 * A text's length as Mastodon counts it (its StatusLengthValidator): graphemes, where each http or https link
 * counts a fixed number and `@user@host` counts as `@user`. A content warning counts too: add `graphemes` of it.
 */
export function mastodonLength(text: string, { charactersReservedPerUrl }: MastodonCount): number {
  if (text.trim() === '') return 0;
  const placeholder = 'x'.repeat(charactersReservedPerUrl);
  let counted = '';
  let at = 0;
  for (const { 0: url, index } of text.matchAll(link)) {
    counted += withoutHosts(text.slice(at, index)) + placeholder;
    at = index + url.length;
  }
  return graphemes(counted + withoutHosts(text.slice(at)));
}

function withoutHosts(text: string): string {
  return text.replace(mention, (whole, name: string, at: number) =>
    notBehindMention.test(text.slice(at + whole.length)) ? whole : `@${name}`,
  );
}
