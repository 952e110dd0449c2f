import { z } from 'zod';
import { duplicates, image, language } from '../settingsParts.ts';

const labelNames = ['sexual', 'nudity', 'porn', 'graphic-media'] as const;

/** The keys of a Bluesky channel in `config.yaml`. */
export const blueskySettings = z.strictObject({
  /** Where the link goes: onto a card below the text, to the end of the text, or both. */
  link: z.enum(['card', 'text', 'both'], 'must be card, text or both').default('card'),
  language,
  /** What readers are warned of (https://docs.bsky.app/docs/advanced-guides/moderation). */
  labels: z
    .array(z.enum(labelNames, `must be among ${labelNames.join(', ')}`))
    .refine(labels => new Set(labels).size === labels.length, 'must not name a label twice')
    .default([]),
  image,
  duplicates: duplicates('7d'),
});

export type BlueskySettings = z.infer<typeof blueskySettings>;
