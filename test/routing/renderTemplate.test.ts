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

  it('leaves no trace of what an article lacks', () => {
    const text = renderTemplate('{{ feed }} {{ url }}\n\n{{ summary }}\n\n{{ hashtags }}\n', bare);

    expect(text).toBe('Blog');
  });
});

describe('checkTemplate', () => {
  it.each([
    ['{{ title }}'],
    ['{{title}} – {{ url }}\n{{ summary }} {{author}} {{feed}} {{tags}} {{hashtags}}'],
    ['x'],
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
  ])('refuses %j', (template, problems) => {
    expect(checkTemplate(template)).toEqual(problems.map(problem => expect.stringMatching(problem)));
  });
});
