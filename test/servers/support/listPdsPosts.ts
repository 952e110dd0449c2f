import { z } from 'zod';

const index = z.object({ byteStart: z.number(), byteEnd: z.number() });
const feature = z.object({ uri: z.string().optional(), tag: z.string().optional() });
const blob = z.object({ ref: z.object({ $link: z.string() }) });

const post = z.object({
  uri: z.string(),
  value: z.object({
    text: z.string(),
    createdAt: z.string(),
    facets: z.array(z.object({ index, features: z.tuple([feature]) })).default([]),
    langs: z.array(z.string()).optional(),
    labels: z.object({ values: z.array(z.object({ val: z.string() })) }).optional(),
    embed: z
      .object({
        external: z
          .object({ uri: z.string(), title: z.string(), description: z.string(), thumb: blob.optional() })
          .optional(),
        images: z.array(z.object({ alt: z.string(), image: blob })).default([]),
      })
      .optional(),
  }),
});

/** A post as whoever asks the server for it gets it. */
export type PdsPost = z.infer<typeof post>;

/** The newest posts of an account, 100 at most, newest first. */
export async function listPdsPosts(url: string, did: string): Promise<PdsPost[]> {
  const query = new URLSearchParams({ repo: did, collection: 'app.bsky.feed.post', limit: '100' });
  const answer = await fetch(`${url}/xrpc/com.atproto.repo.listRecords?${query}`);
  return z.object({ records: z.array(post) }).parse(await answer.json()).records;
}
