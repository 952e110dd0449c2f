import { describe, expect, it } from 'vitest';
import { type CsvField, mapColumns } from '../../src/imports/csvColumns.ts';

const none: ReadonlyMap<CsvField, string> = new Map();

function mapped(header: readonly string[], wanted = none) {
  const found = mapColumns(header, wanted);
  return found.kind === 'mapped'
    ? { ...Object.fromEntries(found.columns), unused: found.unused }
    : { reason: found.reason };
}

describe('mapColumns', () => {
  it('knows columns by what they are called, whatever the case and the punctuation', () => {
    const header = [
      'TITLE',
      ' Web-Address',
      'Image_URL',
      'Published at',
      'Keywords',
      'GUID',
      'alt text',
      'Notes',
    ];

    expect(mapped(header)).toEqual({
      ...{ title: 0, url: 1, image: 2, publishedAt: 3, tags: 4, guid: 5, imageAlt: 6 },
      unused: ['Notes'],
    });
  });

  it('prefers the better known name of two, and gives each column one meaning', () => {
    expect(mapped(['Name', 'Title', 'Link', 'URL'])).toEqual({ title: 1, url: 3, unused: ['Name', 'Link'] });
  });

  it('follows a person before anything else', () => {
    const wanted = new Map<CsvField, string>([['title', 'headline (en)']]);

    expect(mapped(['Title', 'Headline (EN)', 'url'], wanted)).toEqual({
      title: 1,
      url: 2,
      unused: ['Title'],
    });
  });

  it('names the columns that there are where a wanted one is not', () => {
    const { reason } = mapped(['Headlin', 'url'], new Map<CsvField, string>([['title', 'Headline']]));

    expect(reason).toBe('there is no column "Headline" (did you mean "Headlin"?), only: Headlin, url');
  });

  it('refuses a table in which nothing is a title or a URL', () => {
    expect(mapped(['Foo', 'Bar']).reason).toMatch(
      /^no column holds a title or a URL; .*"Foo", "Bar": say .*--map/,
    );
  });
});
