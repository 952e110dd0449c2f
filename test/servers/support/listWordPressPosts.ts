import { z } from 'zod';
import type { WordPressAccount } from './startWordPress.ts';

const text = z.object({ raw: z.string(), rendered: z.string() });

const post = z.object({
  id: z.number(),
  link: z.string(),
  slug: z.string(),
  status: z.string(),
  title: text,
  content: text,
  excerpt: text,
  tags: z.array(z.number()),
  categories: z.array(z.number()),
  featured_media: z.number(),
});

/** A post as a user who may edit it sees it. */
export type WordPressPost = z.infer<typeof post>;

/** The newest posts of a site in all states, 100 at most, newest first. */
export async function listWordPressPosts(url: string, as: WordPressAccount): Promise<WordPressPost[]> {
  const query = { status: 'any', context: 'edit', per_page: '100', orderby: 'id' };
  const path = `/posts?${new URLSearchParams(query)}`;
  return z.array(post).parse(await askWordPress(url, as, { path }));
}

type Question = { method?: 'GET' | 'POST' | 'DELETE'; path: string; json?: object };

/** Asks a site's REST API as a user. Throws for what is refused. */
export async function askWordPress(
  url: string,
  { username, applicationPassword }: WordPressAccount,
  { method = 'GET', path, json }: Question,
): Promise<unknown> {
  const token = Buffer.from(`${username}:${applicationPassword}`).toString('base64');
  const answer = await fetch(`${url}/wp-json/wp/v2${path}`, {
    method,
    headers: { authorization: `Basic ${token}`, 'content-type': 'application/json' },
    ...(json && { body: JSON.stringify(json) }),
  });
  const said = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} was refused: ${answer.status} ${said}`);
  return JSON.parse(said);
}
