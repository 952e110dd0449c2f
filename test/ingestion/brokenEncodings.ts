import { type BrokenFeed, rss } from './brokenFeeds.ts';

const title = 'Grüße – “x” €';
/** What windows-1252 has at 0x80 to 0x9f and ISO-8859-1 has not. */
const windowsBytes: Readonly<Record<string, number>> = { '–': 0x96, '“': 0x93, '”': 0x94, '€': 0x80 };

type Encode = (text: string) => Buffer;

const utf8: Encode = text => Buffer.from(text);
const utf16le: Encode = text => Buffer.from(text, 'utf16le');
const utf16be: Encode = text => utf16le(text).swap16();
const utf32le: Encode = text => utf32(text, (buffer, point, at) => buffer.writeUInt32LE(point, at));
const utf32be: Encode = text => utf32(text, (buffer, point, at) => buffer.writeUInt32BE(point, at));
const cp1252: Encode = text =>
  Buffer.from(Array.from(text, mark => windowsBytes[mark] ?? mark.charCodeAt(0)));

function utf32(text: string, write: (buffer: Buffer, point: number, at: number) => void): Buffer {
  const points = Array.from(text, character => character.codePointAt(0) ?? 0);
  const buffer = Buffer.alloc(points.length * 4);
  for (const [place, point] of points.entries()) write(buffer, point, place * 4);
  return buffer;
}

const mark = '\uFEFF';

/** In what the bytes are, what header and declaration say (null: nothing), whether a mark begins them. */
const cases: [string, Encode, string | null, string | null, '' | typeof mark][] = [
  ['UTF-8', utf8, null, null, ''],
  ['UTF-8', utf8, null, null, mark],
  ['UTF-8', utf8, 'utf-8', 'utf-8', ''],
  ['UTF-8', utf8, 'utf-8', 'iso-8859-1', ''],
  ['UTF-8', utf8, 'iso-8859-1', 'utf-8', ''],
  ['UTF-8', utf8, 'iso-8859-1', 'iso-8859-1', ''],
  ['UTF-8', utf8, 'us-ascii', null, ''],
  ['UTF-8', utf8, 'windows-1252', null, mark],
  ['UTF-8', utf8, null, 'utf-16', ''],
  ['UTF-8', utf8, 'utf-16', null, ''],
  ['UTF-8', utf8, 'no-such-charset', null, ''],
  ['windows-1252', cp1252, null, null, ''],
  ['windows-1252', cp1252, 'windows-1252', null, ''],
  ['windows-1252', cp1252, null, 'windows-1252', ''],
  ['windows-1252', cp1252, 'iso-8859-1', null, ''],
  ['windows-1252', cp1252, null, 'iso-8859-1', ''],
  ['windows-1252', cp1252, 'us-ascii', null, ''],
  ['windows-1252', cp1252, 'utf-8', 'iso-8859-1', ''],
  ['windows-1252', cp1252, 'utf-8', 'utf-8', ''],
  ['windows-1252', cp1252, 'iso-8859-1', 'utf-8', ''],
  ['UTF-16LE', utf16le, null, null, mark],
  ['UTF-16LE', utf16le, null, null, ''],
  ['UTF-16LE', utf16le, 'utf-8', 'utf-16', ''],
  ['UTF-16LE', utf16le, 'utf-16', 'utf-16', mark],
  ['UTF-16BE', utf16be, null, null, mark],
  ['UTF-16BE', utf16be, null, null, ''],
  ['UTF-16BE', utf16be, 'iso-8859-1', 'utf-8', mark],
  ['UTF-16BE', utf16be, 'utf-16le', 'utf-16', ''],
  ['UTF-32LE', utf32le, null, null, mark],
  ['UTF-32LE', utf32le, null, 'utf-32', ''],
  ['UTF-32BE', utf32be, null, null, mark],
  ['UTF-32BE', utf32be, 'utf-8', null, ''],
];

const said = (what: string, label: string | null): string => (label === null ? '' : `, ${what} ${label}`);

/** Bytes that are one thing and called another. */
export const brokenEncodings: readonly BrokenFeed[] = cases.map(
  ([encoding, encode, header, declared, start]) => {
    const declaration = declared === null ? '' : `<?xml version="1.0" encoding="${declared}"?>`;
    const text = declaration + rss(`<item><title>${title}</title></item>`).replace(/^<\?.*?\?>/, '');
    return {
      fault: `${encoding}${start === '' ? '' : ' with a mark'}${said('header', header)}${said('declared', declared)}`,
      document: encode(start + text),
      contentType: `text/xml${header === null ? '' : `; charset=${header}`}`,
      becomes: [{ title }],
    };
  },
);
