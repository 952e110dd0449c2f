import { describe, expect, it } from 'vitest';
import { decodePage } from '../../src/enrichment/decodePage.ts';

const max = 512 * 1024;
const latin1 = (text: string) => Buffer.from(text, 'latin1');
/** "Привет" in windows-1251. */
const cyrillic = latin1('\xcf\xf0\xe8\xe2\xe5\xf2');
/** "日本" in Shift_JIS. */
const japanese = latin1('\x93\xfa\x96\x7b');
const page = (head: string, body: Buffer) => Buffer.concat([latin1(head), body]);

describe('the encoding of a page', () => {
  it.each<[string, Buffer, string | null, string]>([
    ['its header', cyrillic, 'text/html; charset=windows-1251', 'Привет'],
    [
      'its header, before its own word',
      page('<meta charset=shift_jis>', cyrillic),
      'text/html;charset=cp1251',
      'Привет',
    ],
    ['its meta', page('<meta charset="windows-1251">', cyrillic), null, 'Привет'],
    [
      'its meta behind another',
      page('<meta name=a content=b>\n<META CHARSET = shift_jis />', japanese),
      null,
      '日本',
    ],
    [
      'its http-equiv',
      page(`<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">`, cyrillic),
      'text/html',
      'Привет',
    ],
    [
      'its http-equiv, the other way round',
      page(`<meta content='text/html;charset=windows-1251' http-equiv=content-type>`, cyrillic),
      null,
      'Привет',
    ],
    ['its XML declaration', page('<?xml version="1.0" encoding="windows-1251"?>', cyrillic), null, 'Привет'],
    [
      'its meta where the header names none that is known',
      page('<meta charset=shift_jis>', japanese),
      'text/html; charset=x-odd',
      '日本',
    ],
    ['its byte order mark', Buffer.from('\uFEFFПривет'), 'text/html; charset=shift_jis', 'Привет'],
    [
      'the mark of UTF-16',
      Buffer.from('\uFEFFПривет', 'utf16le'),
      'text/html; charset=windows-1251',
      'Привет',
    ],
    ['its bytes where they are UTF-8', Buffer.from('Привет'), null, 'Привет'],
    [
      'its bytes where they disprove the header',
      Buffer.from('Привет'),
      'text/html; charset=iso-8859-1',
      'Привет',
    ],
    ['windows-1252 where nothing is said', latin1('\x93caf\xe9\x94'), null, '“café”'],
    ['windows-1252 for ISO-8859-1', latin1('\x93caf\xe9\x94'), 'text/html; charset=ISO-8859-1', '“café”'],
    ['its bytes where it says UTF-16', page('<meta charset=utf-16>', Buffer.from('é')), null, 'é'],
  ])('is told by %s', (_, bytes, contentType, expected) => {
    expect(decodePage(bytes, contentType, max).replace(/<[^>]*>|\n/g, '')).toBe(expected);
  });

  it.each<[string, string]>([
    ['in a comment', '<!-- <meta charset=shift_jis> -->'],
    ['in a text about it', '<meta name="description" content="charset=shift_jis">'],
    ['behind 1,024 bytes', `${' '.repeat(1_024)}<meta charset=shift_jis>`],
    ['unknown', '<meta charset=x-odd>'],
  ])('is not told by a label %s', (_, head) => {
    expect(decodePage(page(head, latin1('\xe9')), null, max)).toBe(`${head}é`);
  });

  it.each([1, 2, 3, 4])('stands where a page is cut within a character, after %i bytes of it', bytes => {
    expect(decodePage(Buffer.from('é😀').subarray(0, 2 + bytes), null, 2 + bytes)).toBe(
      bytes === 4 ? 'é😀' : 'é',
    );
    expect(decodePage(Buffer.from('é😀 and so on'), null, 2 + bytes)).toBe(bytes === 4 ? 'é😀' : 'é');
  });
});
