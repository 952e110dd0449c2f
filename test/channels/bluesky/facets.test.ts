import { describe, expect, it } from 'vitest';
import { type Facet, findFacets } from '../../../src/channels/bluesky/facets.ts';

const shown = (facets: readonly Facet[]) =>
  facets.map(({ index, features: [feature] }) => {
    const [kind, value] = 'uri' in feature ? ['link', feature.uri] : ['tag', feature.tag];
    return `${index.byteStart}-${index.byteEnd} ${kind} ${value}`;
  });

describe('findFacets', () => {
  // The places are those that RichText of @atproto/api 0.19.19 finds in the same texts.
  it.each<[string, string[]]>([
    [
      'Café: hello https://example.com/a?b=1 #TypeScript',
      ['13-38 link https://example.com/a?b=1', '39-50 tag TypeScript'],
    ],
    [
      'see https://a.test/x. And (https://b.test/y)',
      ['4-20 link https://a.test/x', '27-43 link https://b.test/y'],
    ],
    ['👩‍👩‍👧 #Überraschung, #2026 #a_b', ['19-33 tag Überraschung', '41-45 tag a_b']],
    ['https://en.wikipedia.org/wiki/A_(b)', ['0-35 link https://en.wikipedia.org/wiki/A_(b)']],
    ['#日本語 と https://例え.jp/あ', ['0-10 tag 日本語', '15-36 link https://例え.jp/あ']],
    ['a\nhttps://a.test\n#b', ['2-16 link https://a.test', '17-19 tag b']],
    ['https://a.test/#frag #real', ['0-20 link https://a.test/#frag', '21-26 tag real']],
    [`#${'a'.repeat(64)}`, [`0-65 tag ${'a'.repeat(64)}`]],
    [`#${'a'.repeat(65)}`, []],
    ['x#no #️⃣ nothing', []],
  ])('finds links and hashtags by bytes in %j', (text, expected) => {
    expect(shown(findFacets(text, null))).toEqual(expected);
  });

  it('mentions nobody', () => {
    expect(findFacets('thanks to @someone.bsky.social', null)).toEqual([]);
  });

  it('takes the link of the article exactly as it is', () => {
    const url = 'https://news.test/what?';

    expect(shown(findFacets(`Read ${url}`, url))).toEqual(['5-28 link https://news.test/what?']);
  });
});
