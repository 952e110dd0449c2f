import { describe, expect, it } from 'vitest';
import { checkTemplate } from '../../src/routing/checkTemplate.ts';
import { renderTemplate } from '../../src/routing/renderTemplate.ts';

const values = {
  title: 'Use {{ url }} & $& <b>',
  url: 'https://blog.test/1?a=1&b=2',
  summary: 'Short.',
  author: 'Ada',
  feed: 'Blog',
  tags: ['machine learning', 'Node.js', '2026', 'node JS', 'C++', 'größe'],
};
const bare = { ...values, url: null, summary: null, author: null, tags: [] };

describe('renderTemplate', () => {
  it.each([
    ['{{ title }}', 'Use {{ url }} & $& <b>'],
    ['{{url}}', 'https://blog.test/1?a=1&b=2'],
    ['{{ feed }}: {{ summary }} ({{ author }})', 'Blog: Short. (Ada)'],
    ['{{ tags }}', 'machine learning, Node.js, 2026, node JS, C++, größe'],
    ['{{ hashtags }}', '#MachineLearning #NodeJs #C #größe'],
    ['{{ nope }} {{ toString }}', '{{ nope }} {{ toString }}'],
  ])('renders %j', (template, expected) => {
    expect(renderTemplate(template, values)).toBe(expected);
  });

  it.each([
    ['{{ tags | first: 2 }}', 'machine learning, Node.js'],
    ['{{ hashtags | first: 2 }}', '#MachineLearning #NodeJs'],
    ['{{ hashtags | first: 99 }}', '#MachineLearning #NodeJs #C #größe'],
    ['{{ hashtags | lower | first: 1 }}', '#machinelearning'],
    ['{{ hashtags|first:1|upper }}', '#MACHINELEARNING'],
    ['{{ tags | truncate: 12 }}', 'machine…'],
    ['{{ summary | words: 1 }}', 'Short.'],
    ['{{ author | upper | lower }}', 'ada'],
    ['{{\n feed\n | upper\n}}', 'BLOG'],
    ['{{ title | truncate: 3000 }}', 'Use {{ url }} & $& <b>'],
    ['{{ title | truncate: 12 }}', 'Use {{ url…'],
    ['{{ title | nope }} {{ title | first: 1 }}', '{{ title | nope }} Use {{ url }} & $& <b>'],
    ['{{ title | truncate }} {{ title | truncate: 0 }}', '{{ title | truncate }} {{ title | truncate: 0 }}'],
    ['{{ author | toString }} {{ author | }}', '{{ author | toString }} {{ author | }}'],
  ])('filters %j', (template, expected) => {
    expect(renderTemplate(template, values)).toBe(expected);
  });

  it.each<[string, string, string]>([
    ['truncate: 11', 'Hello world', 'Hello world'],
    ['truncate: 10', 'Hello world', 'Hello…'],
    ['truncate: 1', 'Hello world', '…'],
    ['truncate: 4', '👨‍👩‍👧👨‍👩‍👧 👨‍👩‍👧', '👨‍👩‍👧👨‍👩‍👧 👨‍👩‍👧'],
    ['truncate: 2', 'e\u0301e\u0301e\u0301', 'e\u0301…'],
    ['words: 2', 'Hello world', 'Hello world'],
    ['words: 1', 'Hello, world', 'Hello…'],
    ['words: 3', 'One  two\nthree four', 'One  two\nthree…'],
    ['words: 2', 'See https://a.test/1 for more', 'See https://a.test/1'],
    ['words: 5', '', ''],
    ['upper', 'größe a | b }}', 'GRÖSSE A | B }}'],
    ['lower', 'ÀÉ {{ URL }}', 'àé {{ url }}'],
  ])('applies %s to %j', (filter, title, expected) => {
    expect(renderTemplate(`{{ title | ${filter} }}`, { ...values, title })).toBe(expected);
  });

  it('leaves no trace of what an article lacks', () => {
    const template = '{{ feed }} {{ url }}\n\n{{ summary | words: 9 }}\n\n{{ hashtags | first: 2 }}\n';
    const text = renderTemplate(template, bare);

    expect(text).toBe('Blog');
  });
});

describe('checkTemplate', () => {
  it.each([
    ['{{ title }}'],
    ['{{title}} – {{ url }}\n{{ summary }} {{author}} {{feed}} {{tags}} {{hashtags}}'],
    ['x'],
    ['{{ title | truncate: 80 }} {{ summary|words:20|upper }} {{ hashtags | lower | first: 3 }}'],
    ['{{ tags | first: 99999 | upper | truncate: 1 }}'],
  ])('accepts %j', template => {
    expect(checkTemplate(template)).toEqual([]);
  });

  it.each<[string, RegExp[]]>([
    [
      '{{ titel }}',
      [/unknown placeholder "\{\{ titel \}\}" \(did you mean "title"\?\), allowed: title, url,/],
    ],
    ['{{ a }} {{ b.c }}', [/"\{\{ a \}\}"/, /"\{\{ b\.c \}\}"/]],
    ['{{ toString }}', [/unknown placeholder/]],
    ['{{ title', [/without the other/]],
    ['title }}', [/without the other/]],
    ['{{}}', [/unknown placeholder/]],
    ['  ', [/is empty/]],
    [
      '{{ title | truncat: 80 }}',
      [
        /^has an unknown filter "truncat" in "\{\{ title \| truncat: 80 \}\}" \(did you mean "truncate"\?\), allowed: truncate, words, first, upper, lower$/,
      ],
    ],
    ['{{ title | toString }}', [/unknown filter "toString"/]],
    ['{{ title | }}', [/"\|" without a filter in "\{\{ title \| \}\}", allowed: truncate,/]],
    ['{{ titel | truncat }}', [/unknown placeholder "\{\{ titel \}\}"/]],
    [
      '{{ title | truncate }}',
      [
        /^has no value for the filter "truncate" in .*, allowed: a whole number from 1 to 99999, as in "truncate: 80"$/,
      ],
    ],
    ['{{ title | words: }}', [/no value for the filter "words"/]],
    ['{{ title | words: 0 }}', [/"0" for the filter "words" in .* a whole number from 1/]],
    ['{{ title | truncate: 8.5 }}', [/"8\.5"/]],
    ['{{ title | truncate: -1 }} {{ title | truncate: 100000 }}', [/"-1"/, /"100000"/]],
    ['{{ title | truncate: "80" }}', [/"80"/]],
    ['{{ title | upper: 3 }}', [/"3" for the filter "upper" in .*, allowed: no value$/]],
    ['{{ title | first: 3 }}', [/the filter "first" on a text in .*, allowed: on tags and hashtags/]],
    ['{{ tags | truncate: 20 | first: 3 }}', [/"first" on a text/]],
    ['{{ tags | nope | first: 3 }}', [/unknown filter "nope"/]],
    ['{{ title | nope | truncate: x }}', [/"nope"/, /"x"/]],
    ['{{ url | truncate: 20 }}', [/a filter on url .*, allowed: none/]],
  ])('refuses %j', (template, problems) => {
    expect(checkTemplate(template)).toEqual(problems.map(problem => expect.stringMatching(problem)));
  });
});
