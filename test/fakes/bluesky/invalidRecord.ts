import { z } from 'zod';

/** What the real one says, word by word, of a record that is not as the lexicon has it; null: it is valid. */
export function invalidRecord(key: string, value: unknown): string | null {
  if (!/^[234567abcdefghij][234567abcdefghijklmnopqrstuvwxyz]{12}$/.test(key)) {
    return `Invalid record key for app.bsky.feed.post: Invalid TID string (got "${key}") at $`;
  }
  const said = postRecord.safeParse(value);
  if (said.success) return null;
  const [{ message, path } = { message: 'it is none', path: [] }] = said.error.issues;
  const place = path.map(step => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  return `Invalid app.bsky.feed.post record: ${message} at $.record${place}`;
}

const segmenter = new Intl.Segmenter();
const graphemesOf = (text: string) => [...segmenter.segment(text)].length;
const bytesOf = (text: string) => new TextEncoder().encode(text).length;

function boundedText({ maxBytes, maxGraphemes }: { maxBytes: number; maxGraphemes: number }) {
  return z.string().superRefine((text, context) => {
    const [bytes, graphemes] = [bytesOf(text), graphemesOf(text)];
    if (bytes > maxBytes) context.addIssue(`string too big (maximum ${maxBytes}, got ${bytes})`);
    else if (graphemes > maxGraphemes)
      context.addIssue(`grapheme too big (maximum ${maxGraphemes}, got ${graphemes})`);
  });
}

function formatted(pattern: RegExp, name: string) {
  return z.string().superRefine((text, context) => {
    if (!pattern.test(text)) context.addIssue(`Invalid ${name} (got "${text}")`);
  });
}

const uri = formatted(/^\w+:(?:\/\/)?[^\s/][^\s]*$/, 'uri');
const datetime = formatted(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/, 'datetime');
const language = formatted(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'language');

const picture = z
  .object({
    $type: z.literal('blob'),
    ref: z.object({ $link: z.string() }),
    mimeType: z.string(),
    size: z.int(),
  })
  .superRefine(({ mimeType, size }, context) => {
    const add = (message: string, ...path: string[]) => context.addIssue({ code: 'custom', message, path });
    if (!mimeType.startsWith('image/')) add(`Expected "image/*" (got "${mimeType}")`, 'mimeType');
    else if (size > 1_000_000) add(`blob too big (maximum 1000000, got ${size})`);
  });

const postRecord = z.looseObject({
  $type: z.literal('app.bsky.feed.post'),
  text: boundedText({ maxBytes: 3_000, maxGraphemes: 300 }),
  createdAt: datetime,
  langs: z
    .array(language)
    .superRefine(({ length }, context) => {
      if (length > 3) context.addIssue(`array too big (maximum 3, got ${length})`);
    })
    .optional(),
  labels: z
    .object({
      $type: z.literal('com.atproto.label.defs#selfLabels'),
      values: z.array(z.object({ val: z.string().max(128) })).max(10),
    })
    .optional(),
  facets: z
    .array(
      z.object({
        index: z.object({ byteStart: z.int().min(0), byteEnd: z.int().min(0) }),
        features: z.array(
          z.discriminatedUnion('$type', [
            z.object({ $type: z.literal('app.bsky.richtext.facet#link'), uri }),
            z.object({
              $type: z.literal('app.bsky.richtext.facet#tag'),
              tag: boundedText({ maxBytes: 640, maxGraphemes: 64 }),
            }),
          ]),
        ),
      }),
    )
    .optional(),
  embed: z
    .discriminatedUnion('$type', [
      z.object({
        $type: z.literal('app.bsky.embed.external'),
        external: z.object({ uri, title: z.string(), description: z.string(), thumb: picture.optional() }),
      }),
      z.object({
        $type: z.literal('app.bsky.embed.images'),
        images: z.array(z.object({ image: picture, alt: z.string() })).max(4),
      }),
    ])
    .optional(),
});
