import { describe, expect, it } from 'vitest';
import { decodeFeed } from '../../src/ingestion/decodeFeed.ts';

const text = '<rss>Grüße – “x”</rss>';
const latin = '<rss>Gr\xfc\xdfe</rss>';

function bytes(...parts: (string | number[])[]): Buffer {
  return Buffer.concat(
    parts.map(part => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
  );
}

function utf16be(value: string): Buffer {
  return Buffer.from(value, 'utf16le').swap16();
}

function utf32(value: string, isLittleEndian: boolean): Buffer {
  const points = Array.from(value, character => character.codePointAt(0) ?? 0);
  const buffer = Buffer.alloc(points.length * 4);
  for (const [index, point] of points.entries()) {
    if (isLittleEndian) buffer.writeUInt32LE(point, index * 4);
    else buffer.writeUInt32BE(point, index * 4);
  }
  return buffer;
}

const declared = (encoding: string) => `<?xml version="1.0" encoding="${encoding}"?>`;

const cases: [string, Buffer, string | null, string, string][] = [
  ['UTF-8', Buffer.from(text), 'text/xml; charset=utf-8', text, 'utf-8'],
  ['UTF-8 without a label', Buffer.from(text), null, text, 'utf-8'],
  ['UTF-8 with a mark', Buffer.from(`\uFEFF${text}`), 'text/xml; charset=iso-8859-1', text, 'utf-8'],
  ['UTF-8 mislabelled as latin-1', Buffer.from(text), 'text/xml; charset=ISO-8859-1', text, 'utf-8'],
  ['UTF-16LE with a mark', Buffer.from(`\uFEFF${text}`, 'utf16le'), null, text, 'utf-16le'],
  ['UTF-16LE without', Buffer.from(text, 'utf16le'), 'text/xml; charset=utf-8', text, 'utf-16le'],
  ['UTF-16BE with a mark', utf16be(`\uFEFF${text}`), null, text, 'utf-16be'],
  ['UTF-16BE without', utf16be(text), null, text, 'utf-16be'],
  ['UTF-32LE with a mark', utf32(`\uFEFF${text}`, true), null, text, 'utf-32le'],
  ['UTF-32BE without', utf32(text, false), null, text, 'utf-32be'],
  ['latin-1 by header', bytes(latin), 'text/xml; charset="iso-8859-1"', latin, 'windows-1252'],
  [
    'ASCII label, windows-1252 bytes',
    bytes('<rss>', [0x93], 'x', [0x94], '</rss>'),
    'a; charset=us-ascii',
    '<rss>“x”</rss>',
    'windows-1252',
  ],
  [
    'latin-1 by declaration',
    bytes(declared('ISO-8859-1'), latin),
    null,
    declared('ISO-8859-1') + latin,
    'windows-1252',
  ],
  ['latin-1 without a label', bytes(latin), null, latin, 'windows-1252'],
  [
    'a UTF-8 header that the bytes disprove',
    bytes(declared('iso-8859-1'), latin),
    'text/xml; charset=utf-8',
    declared('iso-8859-1') + latin,
    'windows-1252',
  ],
  [
    'an unknown header label',
    bytes(declared('koi8-r'), [0xd4]),
    'text/xml; charset=foo',
    `${declared('koi8-r')}т`,
    'koi8-r',
  ],
  [
    'a declaration that says UTF-16 in single bytes',
    Buffer.from(declared('utf-16') + text),
    null,
    declared('utf-16') + text,
    'utf-8',
  ],
  ['Shift_JIS', bytes('<t>', [0x83, 0x65], '</t>'), 'text/xml; charset=Shift_JIS', '<t>テ</t>', 'shift_jis'],
  [
    'damaged UTF-8',
    Buffer.concat([Buffer.from('<t>äöü'), Buffer.from([0xc3])]),
    'a; charset=utf-8',
    '<t>äöü\uFFFD',
    'utf-8',
  ],
  ['nothing', Buffer.alloc(0), null, '', 'utf-8'],
];

describe('decodeFeed', () => {
  it.each(cases)('reads %s', (_, body, contentType, expected, encoding) => {
    expect(decodeFeed(body, contentType)).toEqual({ text: expected, encoding });
  });
});
