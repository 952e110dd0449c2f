/** Documents made to hurt, each with a part of the reason for which it is refused. */
export const hostileDocuments: readonly (readonly [name: string, document: () => string, reason: string])[] =
  [
    [
      'billion laughs',
      () => {
        const ten = (name: string) => `&${name};`.repeat(10);
        const laughs = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${ten(`l${n}`)}">`);
        return rss('<item><title>&l9;</title></item>', `<!ENTITY l0 "lol">${laughs.join('')}`);
      },
      'is made of other entities',
    ],
    [
      'a quadratic blow-up',
      () => rss(`<item><title>${'&a;'.repeat(50_000)}</title></item>`, `<!ENTITY a "${'a'.repeat(50_000)}">`),
      'is longer than 1000 characters',
    ],
    [
      'an external entity',
      () => rss('<item><title>&x;</title></item>', '<!ENTITY x SYSTEM "file:///etc/passwd">'),
      'lies outside of the document',
    ],
    [
      '200,000 nested tags',
      () => rss(`${'<a>'.repeat(200_000)}${'</a>'.repeat(200_000)}`),
      'more than 100 elements nested in each other',
    ],
    [
      '100,000 attributes',
      () => rss(`<item ${Array.from({ length: 100_000 }, (_, n) => `a${n}="b"`).join(' ')}/>`),
      'more than 1,000 attributes of one element',
    ],
    ['a tag without an end', () => `<rss ${'a '.repeat(4_000_000)}`, 'the document ends before </rss>'],
    ['a million items', () => rss('<item/>'.repeat(1_000_000)), 'more than 20,000 items'],
    ['a million elements', () => rss('<a/>'.repeat(1_000_000)), 'more than 300,000 elements'],
    [
      'nothing but text',
      () => rss(`<a>${'&lt;b&gt;'.repeat(1_000_000)}</a>`),
      'more than 4,000,000 characters between two tags',
    ],
    ['a million JSON objects', () => json(`${'{},'.repeat(1_000_000)}{}`), 'more than 150,000 objects'],
    [
      '200,000 nested JSON lists',
      () => json(`${'['.repeat(200_000)}${']'.repeat(200_000)}`),
      'more than 100 objects nested in each other',
    ],
    [
      'seconds of work in one JSON object',
      () => json(`{${Array.from({ length: 800_000 }, (_, n) => `"a${n}":1`).join(',')}}`),
      'takes more than 1500 ms',
    ],
  ];

function rss(channel: string, subset?: string): string {
  const doctype = subset === undefined ? '' : `<!DOCTYPE rss [${subset}]>`;
  return `<?xml version="1.0"?>${doctype}<rss version="2.0"><channel><title>t</title>${channel}</channel></rss>`;
}

function json(items: string): string {
  return `{"version":"https://jsonfeed.org/version/1.1","title":"t","items":[${items}]}`;
}
