import { describe, expect, it } from 'vitest';
import { type FormPart, multipartForm } from '../../src/channels/multipart.ts';

const picture = Buffer.from([0x89, 0x50, 0x00, 0xff, 0x0d, 0x0a, 0x2d, 0x2d]);

/** Read back by the platform's own parser, which is not ours. */
async function read(
  parts: readonly FormPart[],
): Promise<[string, string | { bytes: Buffer; name: string; type: string }][]> {
  const { body, contentType } = multipartForm(parts);
  const form = await new Response(body, { headers: { 'content-type': contentType } }).formData();
  return Promise.all(
    [...form].map(async ([name, value]) => {
      if (typeof value === 'string') return [name, value] as [string, string];
      const bytes = Buffer.from(await value.arrayBuffer());
      return [name, { bytes, name: value.name, type: value.type }] as [
        string,
        { bytes: Buffer; name: string; type: string },
      ];
    }),
  );
}

describe('multipartForm', () => {
  it('writes text and files as another parser reads them', async () => {
    const form = await read([
      { name: 'description', value: 'Zwei Wörter\nauf zwei Zeilen 🐘' },
      { name: 'file', bytes: picture, fileName: 'a.png', mediaType: 'image/png' },
      { name: 'empty', value: '' },
    ]);

    expect(form).toEqual([
      ['description', 'Zwei Wörter\nauf zwei Zeilen 🐘'],
      ['file', { bytes: picture, name: 'a.png', type: 'image/png' }],
      ['empty', ''],
    ]);
  });

  it.each([
    [
      'a file name',
      { name: 'file', bytes: picture, fileName: 'a".png\r\nX-Evil: 1', mediaType: 'image/png' },
    ],
    ['a name', { name: 'a"\r\n\r\nevil', bytes: picture, fileName: 'a.png', mediaType: 'image/png' }],
    [
      'a media type',
      { name: 'file', bytes: picture, fileName: 'a.png', mediaType: 'image/png\r\nX-Evil: 1' },
    ],
  ])('lets no header in by %s', (_name, part) => {
    const head = multipartForm([part]).body.toString('latin1').split('\r\n\r\n')[0] ?? '';

    expect(head.split('\r\n')).toEqual([
      expect.stringMatching(/^--headway-/),
      expect.stringMatching(/^Content-Disposition: form-data; name="[^"]*"; filename="[^"]*"$/),
      expect.stringMatching(/^Content-Type: [a-z]+\/[a-z-]+$/),
    ]);
  });

  it('keeps a value whole that looks like the end of its part', async () => {
    const { contentType } = multipartForm([{ name: 'a', value: 'first' }]);
    const value = `x\r\n--${contentType.split('=')[1]}--\r\nContent-Disposition: form-data; name="b"\r\n\r\nevil`;

    const form = await read([{ name: 'a', value }]);

    expect(form).toEqual([['a', value]]);
  });

  it('makes the same bytes of the same parts, and others of others', () => {
    const parts = [{ name: 'a', value: '1' }];

    expect(multipartForm(parts)).toEqual(multipartForm(parts));
    expect(multipartForm(parts).contentType).not.toBe(multipartForm([{ name: 'a', value: '2' }]).contentType);
  });

  it('writes a form without parts', () => {
    const { body, contentType } = multipartForm([]);

    expect(body.toString()).toBe(`--${contentType.split('=')[1]}--\r\n`);
  });
});
