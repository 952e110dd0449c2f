import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { Answer } from '../answerOutcome.ts';
import type { AccountAccess } from '../Channel.ts';
import { parseJson } from '../json.ts';
import type { RequestResult, SendRequest } from '../sendRequest.ts';

export type GhostCredentials = { instance: string; adminKey: string };

export type GhostSession = {
  title: string;
  version: string;
  /** The site's own address, which may be another than that of its administration. */
  url: string;
};

export type GhostAccess = AccountAccess<GhostCredentials, GhostSession>;

export type Question = {
  method: 'GET' | 'POST';
  /** Such as `/posts/`. Without the slash at its end Ghost redirects. */
  path: string;
  query?: Readonly<Record<string, string>>;
  json?: unknown;
  form?: { body: Buffer; contentType: string };
};

/** Asks a site's Admin API, with a token made for each request. */
export type Ask = (question: Question) => Promise<RequestResult>;

const maxAnswerBytes = 4 * 1024 * 1024;
const tokenSeconds = 5 * 60;

/**
 * Makes the function that asks at an instant. The key and the token are taken out of whatever comes back: a
 * server that echoes a request would put them into an error's text.
 */
export function createAsk({ instance, adminKey }: GhostCredentials, at: Date, send: SendRequest): Ask {
  const token = tokenOf(adminKey, at);
  const [, secret = ''] = adminKey.split(':');
  return async ({ method, path, query = {}, json, form }) => {
    const search = Object.keys(query).length === 0 ? '' : `?${new URLSearchParams(query)}`;
    const contentType = form?.contentType ?? (json === undefined ? null : 'application/json');
    const result = await send({
      method,
      url: `${instance}/ghost/api/admin${path}${search}`,
      headers: {
        accept: 'application/json',
        'accept-version': 'v5.0',
        authorization: `Ghost ${token}`,
        ...(contentType !== null && { 'content-type': contentType }),
      },
      body: form?.body ?? (json === undefined ? null : JSON.stringify(json)),
      maxAnswerBytes,
    });
    if (result.phase !== 'answered') return result;
    return { ...result, body: result.body.replaceAll(token, '…').replaceAll(secret, '…') };
  };
}

/** https://ghost.org/docs/admin-api/#token-authentication: good for five minutes, which is all that Ghost allows. */
function tokenOf(adminKey: string, at: Date): string {
  const [id = '', secret = ''] = adminKey.split(':');
  const issuedAt = Math.floor(at.getTime() / 1_000);
  const claims = { iat: issuedAt, exp: issuedAt + tokenSeconds, aud: '/admin/' };
  const signed = `${base64url({ alg: 'HS256', typ: 'JWT', kid: id })}.${base64url(claims)}`;
  const signature = createHmac('sha256', Buffer.from(secret, 'hex')).update(signed).digest('base64url');
  return `${signed}.${signature}`;
}

function base64url(part: object): string {
  return Buffer.from(JSON.stringify(part), 'utf8').toString('base64url');
}

const ghostErrors = z.object({
  errors: z.tuple(
    [
      z.object({
        message: z.string(),
        context: z.string().nullish(),
        type: z.string().nullish(),
        code: z.string().nullish(),
      }),
    ],
    z.unknown(),
  ),
});

export type GhostError = {
  /** Its message and what it adds to that. */
  words: string;
  type: string;
  code: string;
};

/** What Ghost itself says about a refusal; null: the answer is not Ghost's, but a proxy's. */
export function ghostErrorOf({ body }: Answer): GhostError | null {
  const error = ghostErrors.safeParse(parseJson(body)).data?.errors[0];
  if (error === undefined) return null;
  const { message, context, type, code } = error;
  const words = context && context !== message ? `${message} ${context}` : message;
  return { words, type: type ?? '', code: code ?? '' };
}
