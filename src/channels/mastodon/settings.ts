import { z } from 'zod';
import { duplicates, image, language } from '../settingsParts.ts';

export const settings = z.strictObject({
  visibility: z
    .enum(['public', 'unlisted', 'private'], 'must be public, unlisted or private')
    .default('public'),
  /** Shown instead of the text until a reader opens it. */
  contentWarning: z.string('must be text').trim().min(1, 'must not be empty').optional(),
  /** Hides the picture until a reader opens it. */
  sensitive: z.boolean('must be true or false').default(false),
  language,
  image,
  duplicates: duplicates('7d'),
});

export type MastodonSettings = z.infer<typeof settings>;
