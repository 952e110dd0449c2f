import { z } from 'zod';
import type { Answer } from '../answerOutcome.ts';
import type { AccountAccess } from '../Channel.ts';
import { parseJson } from '../json.ts';
import type { RequestResult, SendRequest } from '../sendRequest.ts';

export type WordPressCredentials = { instance: string; username: string; appPassword: string };

/**
 * Where the REST API is. `wp-json`: a folder of the site. `rest_route`: a parameter of its start page, for a site
 * with plain permalinks, on which that folder does not exist.
 */
export type RestRoot = 'wp-json' | 'rest_route';

export type WordPressSession = {
  root: RestRoot;
  userId: number;
  name: string;
  roles: string[];
  /** Those that matter here: `edit_posts`, `publish_posts`, `upload_files`. */
  capabilities: string[];
};

export type WordPressAccess = AccountAccess<WordPressCredentials, WordPressSession>;

export type Question = {
  method: 'GET' | 'POST';
  /** Such as `/wp/v2/posts`. */
  path: string;
  query?: Readonly<Record<string, string>>;
  json?: unknown;
  file?: { bytes: Buffer; mediaType: string; fileName: string };
};

/** Asks a site's REST API as its user. */
export type Ask = (question: Question) => Promise<RequestResult>;

const maxAnswerBytes = 8 * 1024 * 1024;

/**
 * Makes the function that asks. The credentials are taken out of whatever comes back: a server that echoes a
 * request would put them into an error's text.
 */
export function createAsk(
  { instance, username, appPassword }: WordPressCredentials,
  root: RestRoot,
  send: SendRequest,
): Ask {
  const token = Buffer.from(`${username}:${appPassword}`, 'utf8').toString('base64');
  return async ({ method, path, query = {}, json, file }) => {
    const result = await send({
      method,
      url: addressOf(instance, root, path, query),
      headers: { accept: 'application/json', authorization: `Basic ${token}`, ...headersOf(json, file) },
      body: file?.bytes ?? (json === undefined ? null : JSON.stringify(json)),
      maxAnswerBytes,
    });
    if (result.phase !== 'answered') return result;
    return { ...result, body: result.body.replaceAll(token, '…').replaceAll(appPassword, '…') };
  };
}

/** As `createAsk`, for an account whose session is open. */
export function askAs({ credentials, session }: WordPressAccess, send: SendRequest): Ask {
  return createAsk(credentials, session.root, send);
}

/** The address of the REST API, for people. */
export function restAddress(instance: string, root: RestRoot): string {
  return root === 'wp-json' ? `${instance}/wp-json` : `${instance}/?rest_route=/`;
}

function addressOf(
  instance: string,
  root: RestRoot,
  path: string,
  query: Readonly<Record<string, string>>,
): string {
  const parameters = new URLSearchParams(root === 'wp-json' ? query : { rest_route: path, ...query });
  const search = parameters.size === 0 ? '' : `?${parameters}`;
  return root === 'wp-json' ? `${instance}/wp-json${path}${search}` : `${instance}/${search}`;
}

function headersOf(json: unknown, file: Question['file']): Record<string, string> {
  if (file !== undefined)
    return {
      'content-type': file.mediaType,
      'content-disposition': `attachment; filename="${file.fileName}"`,
    };
  return json === undefined ? {} : { 'content-type': 'application/json' };
}

const restError = z.object({
  code: z.string(),
  message: z.string(),
  data: z.object({ term_id: z.number().int().optional() }).catch({}),
});

export type RestError = z.infer<typeof restError>;

/** What WordPress itself says about a refusal; null: the answer is not WordPress's, but a firewall's or a proxy's. */
export function restErrorOf({ body }: Answer): RestError | null {
  return restError.safeParse(parseJson(body)).data ?? null;
}
