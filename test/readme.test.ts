import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const links = [...readme.matchAll(/\[([^\]]+)\]\(([^)\s]+)\)/g)].map(([, text = '', target = '']) => ({
  text,
  target,
}));
const faultTests = readdirSync(join(root, 'test/faults')).filter(name => name.endsWith('.test.ts'));
const faultText = new Map(
  faultTests.map(name => [`test/faults/${name}`, readFileSync(join(root, 'test/faults', name), 'utf8')]),
);

// F47 is not one.
const faults = [
  ...Array.from({ length: 48 }, (_, index) => `F${index + 1}`).filter(name => name !== 'F47'),
  'F15b',
];

describe('the page', () => {
  it('links to what is there', () => {
    const files = links.filter(({ target }) => !/^(https?:|#)/.test(target));

    expect(files.length).toBeGreaterThan(30);
    expect(files.filter(({ target }) => !existsSync(join(root, target)))).toEqual([]);
  });

  it('links to its own headings', () => {
    const headings = [...readme.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => `#${anchorOf(heading)}`);
    const anchors = links.map(({ target }) => target).filter(target => target.startsWith('#'));

    expect(anchors.filter(anchor => !headings.includes(anchor))).toEqual([]);
  });

  it('names faults where they are tested', () => {
    const named = links.filter(({ target }) => faultText.has(target));
    const astray = named.flatMap(({ text, target }) =>
      [...text.matchAll(/F\d+b?/g)].filter(([fault]) => !isTested(fault, faultText.get(target) ?? '')),
    );

    expect(named.length).toBeGreaterThan(5);
    expect(astray).toEqual([]);
  });
});

describe('the faults', () => {
  it.each(faults)('have a test of their own name: %s', fault => {
    expect([...faultText.values()].some(text => isTested(fault, text))).toBe(true);
  });
});

/** In the name of a test, or of a group of them. */
function isTested(fault: string, text: string): boolean {
  return new RegExp(`['"\`]${fault}[ ,:]|, ${fault}[ ,:]`).test(text);
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}
