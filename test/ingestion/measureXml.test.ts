import { describe, expect, it } from 'vitest';
import { documentLimits } from '../../src/ingestion/documentLimits.ts';
import { measureXml } from '../../src/ingestion/measureXml.ts';

const { maxItems, maxElements, maxNesting, maxAttributes, maxTagCharacters, maxTextCharacters } =
  documentLimits;

const attributes = (count: number) => Array.from({ length: count }, (_, n) => `a${n}="<b>"`).join(' ');
const nested = (depth: number) => `${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}`;
const text = (length: number) => 'x'.repeat(length);

const xmlExcess = (xml: string) => measureXml(xml).excess;

describe('measureXml', () => {
  it.each([
    ['items', (count: number) => `<rss>${'<item/>'.repeat(count)}</rss>`, maxItems],
    ['entries', (count: number) => `<feed>${'<atom:Entry></atom:Entry>'.repeat(count)}</feed>`, maxItems],
    ['elements', (count: number) => '<a/>'.repeat(count), maxElements],
    ['nested elements', nested, maxNesting],
    ['attributes', (count: number) => `<a ${attributes(count)}/>`, maxAttributes],
    ['characters in a tag', (count: number) => `<${'a '.repeat(count / 2 - 1)}>`, maxTagCharacters],
    ['characters of text', (count: number) => `<a>${text(count)}</a>`, maxTextCharacters],
    [
      'characters around a comment',
      (count: number) => `${text(count / 2)}<!-- c -->${text(count / 2)}`,
      maxTextCharacters,
    ],
  ])('takes as many %s as there may be, and refuses more', (_, documentOf, limit) => {
    const most = xmlExcess(documentOf(limit));
    const more = xmlExcess(documentOf(limit + 2));

    expect(most).toBeNull();
    expect(more).toContain(`more than ${limit.toLocaleString('en')} `);
  });

  it.each([
    ['CDATA', `<a><![CDATA[${'<item>'.repeat(maxItems + 1)}]]></a>`],
    ['comments', `<!--${'<item>'.repeat(maxItems + 1)}-->`],
    ['quoted values', `<a b="${'<item>'.repeat(maxItems + 1)}"/>`],
    ['long quoted values', `<a b="${text(maxTagCharacters + 1)}"/>`],
    ['long CDATA', `<a><![CDATA[${text(maxTextCharacters + 1)}]]></a>`],
  ])('counts nothing in %s', (_, xml) => {
    expect(xmlExcess(xml)).toBeNull();
  });

  it('takes HTML that nobody closed for nested no deeper than its element', () => {
    const item = `<item><description>${'<br>'.repeat(60)}${'<p>'.repeat(60)}</description></item>`;

    expect(xmlExcess(`<rss>${item.repeat(10)}</rss>`)).toBeNull();
  });

  it.each(['<', '<a', '<a b="', '<!--', '<![CDATA[', '<?', '</', '<!', ''])(
    'leaves what does not close to the parser: "%s"',
    xml => {
      expect(xmlExcess(xml)).toBeNull();
    },
  );

  it.each([
    ['an item with a title', '<rss><item><title>a</title></item></rss>', true],
    ['an entry with an id', '<a:feed><a:entry><b/><id>a</id></a:entry></a:feed>', true],
    ['an item without anything', '<rss><item><author>a</author></item></rss>', false],
    ['a title of something else', '<rss><item><image><title>a</title></image></item></rss>', false],
    ['no item', '<rss><channel><title>a</title></channel></rss>', false],
    ['one in CDATA', '<rss><![CDATA[<item><title>a</title></item>]]></rss>', false],
  ])('says whether a document has items: %s', (_, xml, hasItems) => {
    expect(measureXml(xml)).toEqual({ excess: null, hasItems });
  });
});
