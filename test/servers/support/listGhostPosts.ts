import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { systemClock } from '../../../src/clock.ts';

const post = z.object({
  id: z.string(),
  slug: z.string(),
  url: z.string(),
  status: z.string(),
  title: z.string(),
  html: z.string().nullable(),
  custom_excerpt: z.string().nullable(),
  canonical_url: z.string().nullable(),
  feature_image: z.string().nullable(),
  feature_image_alt: z.string().nullable(),
  tags: z.array(z.object({ name: z.string() })),
});

/** A post as the Admin API shows it. */
export type GhostPost = z.infer<typeof post>;

/** The newest posts of a site in all states, newest first. */
export async function listGhostPosts(url: string, adminApiKey: string): Promise<GhostPost[]> {
  const query = new URLSearchParams({ formats: 'html', include: 'tags', limit: '100' });
  const answer = await fetch(`${url}/ghost/api/admin/posts/?${query}`, {
    headers: ghostHeaders(adminApiKey),
  });
  return z.object({ posts: z.array(post) }).parse(await answer.json()).posts;
}

/** What a request to the Admin API needs, made as in Ghost's own guide. */
export function ghostHeaders(adminApiKey: string) {
  const [id = '', secret = ''] = adminApiKey.split(':');
  const iat = Math.floor(systemClock.now().getTime() / 1000);
  const signed = [
    { alg: 'HS256', typ: 'JWT', kid: id },
    { iat, exp: iat + 240, aud: '/admin/' },
  ]
    .map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = createHmac('sha256', Buffer.from(secret, 'hex')).update(signed).digest('base64url');
  return { authorization: `Ghost ${signed}.${signature}`, 'accept-version': 'v5.0' };
}
