import { z } from 'zod';

const status = z.object({
  url: z.string(),
  uri: z.string(),
  content: z.string(),
  /** As it was written. */
  text: z.string(),
  spoiler_text: z.string(),
  tags: z.array(z.object({ name: z.string() })),
  media_attachments: z.array(z.object({ url: z.string(), description: z.string().nullable() })),
});

/** A status as the Mastodon API shows it. */
export type Status = z.infer<typeof status>;

/** The newest statuses of the account that a token is of, newest first. */
export async function listStatuses(url: string, accessToken: string): Promise<Status[]> {
  // One that is kept may be closed by the server just then.
  const headers = { authorization: `Bearer ${accessToken}`, connection: 'close' };
  const ask = async (path: string) => (await fetch(`${url}/api/v1/accounts/${path}`, { headers })).json();
  const { id } = z.object({ id: z.string() }).parse(await ask('verify_credentials'));
  return z.array(status).parse(await ask(`${id}/statuses?limit=200`));
}
