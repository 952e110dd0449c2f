import { z } from 'zod';

export type SnacLogin = { username: string; password: string };

const app = z.object({ client_id: z.string(), client_secret: z.string() });
const token = z.object({ access_token: z.string() });
// The code is shown to the person who logs in, who types it into the program.
const outOfBand = 'urn:ietf:wg:oauth:2.0:oob';
const scope = 'read write';

/** An access token as a person gets one: registers an app, logs in on snac's page and takes the code from it. */
export async function createSnacToken(url: string, { username, password }: SnacLogin): Promise<string> {
  const { client_id, client_secret } = app.parse(
    await post(`${url}/api/v1/apps`, {
      client_name: 'headway',
      redirect_uris: outOfBand,
      scopes: scope,
    }).then(answer => answer.json()),
  );
  const page = await post(`${url}/oauth/x-snac-login`, {
    login: username,
    passwd: password,
    redir: outOfBand,
    cid: client_id,
    state: '',
  }).then(answer => answer.text());
  const code = /\b[0-9a-f]{32}\b/.exec(page.replaceAll(client_id, ''))?.[0];
  if (code === undefined) throw new Error(`snac showed no code: ${page}`);
  const answer = await post(`${url}/oauth/token`, {
    grant_type: 'authorization_code',
    code,
    client_id,
    client_secret,
    redirect_uri: outOfBand,
    scope,
  });
  return token.parse(await answer.json()).access_token;
}

function post(url: string, form: Readonly<Record<string, string>>): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { connection: 'close' }, body: new URLSearchParams(form) });
}
