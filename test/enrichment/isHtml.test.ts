import { describe, expect, it } from 'vitest';
import { isHtml } from '../../src/enrichment/isHtml.ts';

describe('isHtml', () => {
  it.each<[string | null, string | Buffer, boolean]>([
    ['text/html', '', true],
    ['Text/HTML; charset=utf-8', '{}', true],
    ['application/xhtml+xml', '', true],
    ['text/plain', '<!doctype html>', false],
    ['application/pdf', '<html>', false],
    ['image/svg+xml', '<svg>', false],
    [null, '<!DOCTYPE html>', true],
    ['', '\n <html lang="en">', true],
    ['application/octet-stream', '\uFEFF<!-- a --><head>', true],
    ['application/xml', '<?xml version="1.0"?><html xmlns="x">', true],
    ['text/xml', '<?xml version="1.0"?><rss>', false],
    [null, Buffer.from('\uFEFF<!doctype html>', 'utf16le'), true],
    [null, '%PDF-1.7 <html>', false],
    [null, '<header>', false],
    [null, '', false],
  ])('takes %j with %j: %j', (contentType, body, expected) => {
    expect(isHtml(contentType, Buffer.from(body))).toBe(expected);
  });

  it('is not held up by a row of comments that leads to no page', () => {
    const started = performance.now();

    const found = isHtml('application/octet-stream', Buffer.from('<!---->'.repeat(140)));

    expect(found).toBe(false);
    expect(performance.now() - started).toBeLessThan(100);
  });
});
