import { createHash } from 'node:crypto';

/** One field of a form: text, or a file. Values are sent as they are; names may hold anything. */
export type FormPart =
  | { name: string; value: string }
  | { name: string; bytes: Buffer; fileName: string; mediaType: string };

export type MultipartForm = { body: Buffer; contentType: string };

/**
 * A form with files as `multipart/form-data` (RFC 7578), in one Buffer and with its content-type header. What
 * comes from a feed cannot break out of its part: quotes and line ends in names are escaped as browsers do
 * (https://html.spec.whatwg.org/#multipart-form-data), and a media type that is none becomes
 * `application/octet-stream`. The same parts make the same bytes.
 */
export function multipartForm(parts: readonly FormPart[]): MultipartForm {
  const boundary = boundaryOf(parts);
  const chunks = parts.flatMap(part => [
    Buffer.from(`--${boundary}\r\n${headOf(part)}\r\n\r\n`, 'utf8'),
    contentOf(part),
    Buffer.from('\r\n'),
  ]);
  return {
    body: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]),
    contentType: `multipart/form-data; boundary=${boundary}`,
  };
}

// It must not stand in the parts. Nobody can write a text that holds the hash of itself.
function boundaryOf(parts: readonly FormPart[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(headOf(part)).update('\0').update(contentOf(part)).update('\0');
  return `headway-${hash.digest('hex').slice(0, 40)}`;
}

function headOf(part: FormPart): string {
  const disposition = `Content-Disposition: form-data; name="${escapeName(part.name)}"`;
  if ('value' in part) return disposition;
  const fileName = `filename="${escapeName(part.fileName)}"`;
  return `${disposition}; ${fileName}\r\nContent-Type: ${mediaTypeOf(part.mediaType)}`;
}

function contentOf(part: FormPart): Buffer {
  return 'value' in part ? Buffer.from(part.value, 'utf8') : part.bytes;
}

const escapes: Readonly<Record<string, string>> = { '"': '%22', '\r': '%0D', '\n': '%0A', '\0': '%00' };

function escapeName(name: string): string {
  return name.replace(/["\r\n\0]/g, character => escapes[character] ?? '');
}

function mediaTypeOf(mediaType: string): string {
  return /^[\w.+-]+\/[\w.+-]+$/.test(mediaType) ? mediaType : 'application/octet-stream';
}
