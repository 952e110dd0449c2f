import { describe, expect, it } from 'vitest';
import { plainText } from '../../src/ingestion/plainText.ts';
import { shortened } from '../../src/ingestion/shortened.ts';

const cases: [string, string][] = [
  ['<p>One <em>two</em>.</p><p>Three</p>', 'One two. Three'],
  ['a < b and c > d', 'a < b and c > d'],
  ['<script>alert("<p>x</p>")</script>text<style>p{}</style>', 'text'],
  ['<SCRIPT src=x></SCRIPT>kept', 'kept'],
  ['before<!-- <b>hidden</b> -->after', 'beforeafter'],
  ['sp<b>li</b>t', 'split'],
  ['one<br>two<li>three', 'one two three'],
  ['<img alt="a > b" src=x>one <a title=\'2 > 1\'>two</a>', 'one two'],
  ['<p class="never closed>kept</p>', 'kept'],
  ["it<b>'s</b> <i a=b'c>here</i>", "it's here"],
  ['cut off <a href="https://x.test', 'cut off'],
  ['<script>never closed', ''],
  ['<svg/>kept', 'kept'],
];

describe('plainText', () => {
  it.each(cases)('reads %j as %j', (html, expected) => {
    expect(plainText(html)).toBe(expected);
  });

  it.each([
    ['deep nesting', '<div>'.repeat(200_000)],
    ['unclosed tags', '<a '.repeat(300_000)],
    ['unclosed comments', '<!--'.repeat(300_000)],
    ['unclosed quotes', `<a b="${"<a b='".repeat(300_000)}`],
    ['bare brackets', '<'.repeat(1_000_000)],
  ])('reads %s in bounded time', (_, html) => {
    const startedMs = performance.now();

    plainText(html);

    expect(performance.now() - startedMs).toBeLessThan(2_000);
  });
});

describe('shortened', () => {
  it('leaves alone what fits, and counts characters, not code units', () => {
    expect(shortened('exactly ten', 11)).toBe('exactly ten');
    expect(shortened('😀😀😀', 3)).toBe('😀😀😀');
  });

  it('cuts at the last word, and in mid-word only without a blank', () => {
    expect(shortened('one two three', 10)).toBe('one two…');
    expect(shortened('😀😀😀😀', 3)).toBe('😀😀…');
  });
});
