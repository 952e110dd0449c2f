import type { OutgoingRequest, RequestResult, SendRequest } from '../sendRequest.ts';

/** An instance as one account reaches it. `now`: the instant that waits are counted from. */
export type Api = { instance: string; token: string; send: SendRequest; now: Date };

/** With hundreds of emojis in its profile, an account is larger than the default. */
const usualAnswerBytes = 1024 * 1024;

/** Asks something of the API; nothing changes there. */
export function ask(
  api: Api,
  path: string,
  { maxAnswerBytes = usualAnswerBytes }: { maxAnswerBytes?: number } = {},
): Promise<RequestResult> {
  return call(api, path, { method: 'GET', headers: {}, body: null, maxAnswerBytes });
}

/** Sends something to the API. */
export function submit(
  api: Api,
  path: string,
  { body, headers }: { body: string | Buffer; headers: Readonly<Record<string, string>> },
): Promise<RequestResult> {
  return call(api, path, { method: 'POST', headers, body, maxAnswerBytes: usualAnswerBytes });
}

async function call(
  { instance, token, send }: Api,
  path: string,
  request: Omit<OutgoingRequest, 'url'>,
): Promise<RequestResult> {
  const headers = { accept: 'application/json', ...request.headers, authorization: `Bearer ${token}` };
  const result = await send({ ...request, url: `${instance}${path}`, headers });
  if (result.phase !== 'answered') return result;
  // Its words are shown to people, and a server may repeat what it was sent.
  return { ...result, body: result.body.replaceAll(token, '[token]') };
}
