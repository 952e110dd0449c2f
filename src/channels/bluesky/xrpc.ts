import { z } from 'zod';
import type { Answer } from '../answerOutcome.ts';
import { parseJson } from '../json.ts';
import type { OutgoingRequest } from '../sendRequest.ts';

type Call = {
  /** The address of the server that is asked. */
  service: string;
  /** Of the method, such as `com.atproto.repo.putRecord`. */
  nsid: string;
  token: string | null;
};

/** A question by XRPC, the protocol of a PDS (https://atproto.com/specs/xrpc). */
export function query(
  { service, nsid, token }: Call,
  parameters: Readonly<Record<string, string>> = {},
): OutgoingRequest {
  const search = new URLSearchParams(parameters).toString();
  const url = `${service}/xrpc/${nsid}${search === '' ? '' : `?${search}`}`;
  return { method: 'GET', url, headers: { accept: 'application/json', ...bearer(token) }, body: null };
}

/** A call that changes something. `input`: JSON, or a file; null: the method takes none. */
export function procedure(
  { service, nsid, token }: Call,
  input: { json: unknown } | { bytes: Buffer; mediaType: string } | null,
): OutgoingRequest {
  const url = `${service}/xrpc/${nsid}`;
  const headers = { accept: 'application/json', ...bearer(token) };
  if (input === null) return { method: 'POST', url, headers, body: null };
  const [contentType, body] =
    'json' in input ? ['application/json', JSON.stringify(input.json)] : [input.mediaType, input.bytes];
  return { method: 'POST', url, headers: { ...headers, 'content-type': contentType }, body };
}

function bearer(token: string | null): Record<string, string> {
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

const refused = z.object({ error: z.string() });

/** The name of the error that a PDS gives, such as `InvalidSwap`; null: it is not one of its answers. */
export function errorName(answer: Answer): string | null {
  const said = refused.safeParse(parseJson(answer.body));
  return said.success ? said.data.error : null;
}

/** When a limit ends: `ratelimit-reset` in seconds of the epoch, else Retry-After; null: it does not say. */
export function limitEndsAt({ headers, retryAfter }: Answer): Date | null {
  const reset = headers['ratelimit-reset'];
  // A proxy's may be seconds from now, as a later draft of the header has it: those are no instant.
  return reset !== undefined && /^\d{10,11}$/.test(reset) ? new Date(Number(reset) * 1_000) : retryAfter;
}
