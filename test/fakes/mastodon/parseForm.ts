import type { ReceivedRequest } from '../../support/fakeReceiver.ts';

export type FormFile = { fileName: string; mediaType: string; bytes: Buffer };
export type Form = { values: Record<string, string>; files: Record<string, FormFile> };

/** Reads `multipart/form-data`, as far as clients write it. */
export function parseForm({ headers, bytes }: ReceivedRequest): Form {
  const boundary = /boundary="?([^";]+)"?/.exec(headers['content-type'] ?? '')?.[1] ?? '';
  const form: Form = { values: {}, files: {} };
  // Latin-1 keeps each byte a character.
  const parts = `\r\n${bytes.toString('latin1')}`.split(`\r\n--${boundary}`).slice(1, -1);
  for (const part of parts) {
    const headEnd = part.indexOf('\r\n\r\n');
    const head = Buffer.from(part.slice(0, headEnd), 'latin1').toString('utf8');
    const content = Buffer.from(part.slice(headEnd + 4), 'latin1');
    const name = /[; ]name="([^"]*)"/.exec(head)?.[1] ?? '';
    const fileName = /filename="([^"]*)"/.exec(head)?.[1];
    const mediaType = /content-type: *(\S+)/i.exec(head)?.[1] ?? '';
    if (fileName === undefined) form.values[name] = content.toString('utf8');
    else form.files[name] = { fileName, mediaType, bytes: content };
  }
  return form;
}
