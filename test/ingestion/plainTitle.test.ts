import { describe, expect, it } from 'vitest';
import { plainTitle, type TitleType } from '../../src/ingestion/plainTitle.ts';

const cases: [TitleType, string, string][] = [
  ['rss', 'Use the <picture> element', 'Use the <picture> element'],
  ['rss', 'Why <b> is not <strong>', 'Why <b> is not <strong>'],
  ['rss', 'A <b>bold</b> move', 'A bold move'],
  ['rss', 'A <b>very <i>bold</i></b> move', 'A very bold move'],
  ['rss', '<a href="https://x.test/?a=1&amp;b=2">Linked</a>', 'Linked'],
  ['rss', ' <p class="x">A <b>whole</b> title</p> ', 'A whole title'],
  ['rss', '<h2>A title</h2>', 'A title'],
  ['rss', 'Why <p> needs no </p>', 'Why <p> needs no </p>'],
  ['rss', 'One<br/>two', 'One two'],
  ['rss', 'Tom &amp; Jerry &#8217;s &#x2014; caf&eacute; &#146;', 'Tom & Jerry ’s — café ’'],
  ['rss', 'Escape &lt;b&gt; with &amp;lt;', 'Escape <b> with &lt;'],
  ['rss', 'R&D, AT&T, a &unknown; b', 'R&D, AT&T, a &unknown; b'],
  ['rss', '3 < 4 > 2', '3 < 4 > 2'],
  ['rss', '  two \n\t lines\u00a0here ', 'two lines here'],
  ['rss', '007', '007'],
  ['rss', 'nul\0byte', 'nulbyte'],
  ['text', 'A <b>bold</b> &amp; plain', 'A <b>bold</b> &amp; plain'],
  ['html', 'A <b>bold</b> &amp; <span>rich</span> one', 'A bold & rich one'],
  ['html', 'Use the &lt;picture&gt; element', 'Use the <picture> element'],
  ['html', '<p>One</p><p>two</p>', 'One two'],
  ['html', '', ''],
];

describe('plainTitle', () => {
  it.each(cases)('reads %s %j as %j', (type, title, expected) => {
    expect(plainTitle(title, type)).toBe(expected);
  });

  it('cuts an endless title at a word', () => {
    const title = plainTitle('word '.repeat(1_000), 'rss');

    expect(title.length).toBeLessThanOrEqual(1_000);
    expect(title).toMatch(/ word…$/);
  });
});
