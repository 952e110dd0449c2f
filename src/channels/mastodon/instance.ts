import { z } from 'zod';
import { outcomeBeforePost } from '../answerOutcome.ts';
import type { NotComposed } from '../Channel.ts';
import { parseJson } from '../json.ts';
import { type Api, ask } from './api.ts';
import { refusalOf } from './refusals.ts';

/** Which server it is, as far as something depends on it. */
export type Flavour = InstanceLimits['flavour'];

export type InstanceLimits = z.infer<typeof instanceLimits>;

export const instanceLimits = z.object({
  flavour: z.enum(['mastodon', 'pleroma', 'gotosocial', 'snac', 'friendica', 'other']),
  /** As the instance names itself, such as `4.4.1`. */
  version: z.string(),
  maxCharacters: z.number(),
  charactersReservedPerUrl: z.number(),
  maxMediaAttachments: z.number(),
  /** Null: it does not say. */
  mediaTypes: z.array(z.string()).nullable(),
  maxImageBytes: z.number(),
  /** Characters of a picture's description. */
  maxDescription: z.number(),
});

/** Those of Mastodon itself, for an instance that does not say. */
export const defaultLimits: InstanceLimits = {
  flavour: 'other',
  version: '',
  maxCharacters: 500,
  charactersReservedPerUrl: 23,
  maxMediaAttachments: 4,
  mediaTypes: null,
  maxImageBytes: 8 * 1024 * 1024,
  maxDescription: 1_500,
};

/** However large an instance would have it. */
const mostImageBytes = 16 * 1024 * 1024;

// What one server leaves out or has in another form must not cost the rest.
const lenient = <Value>(schema: z.ZodType<Value>) => schema.optional().catch(undefined);
const count = lenient(z.number().int().positive());

const described = z.object({
  version: lenient(z.string()),
  source_url: lenient(z.string()),
  // Pleroma and Friendica, in v1.
  max_toot_chars: count,
  upload_limit: count,
  configuration: lenient(
    z.object({
      statuses: lenient(
        z.object({
          max_characters: count,
          max_media_attachments: lenient(z.number().int().nonnegative()),
          characters_reserved_per_url: count,
        }),
      ),
      media_attachments: lenient(
        z.object({
          supported_mime_types: lenient(z.array(z.string()).min(1)),
          image_size_limit: count,
          description_limit: count,
        }),
      ),
    }),
  ),
});

export type InstanceAnswer = { kind: 'read'; limits: InstanceLimits } | NotComposed;

/** Reads an instance's limits: as v2 of its description, else as v1, else those of Mastodon. */
export async function readInstance(api: Api): Promise<InstanceAnswer> {
  for (const path of ['/api/v2/instance', '/api/v1/instance']) {
    const answer = await ask(api, path);
    if (answer.phase !== 'answered') return outcomeBeforePost(answer);
    const refusal = refusalOf(answer, api.now);
    if (refusal?.kind === 'throttled') return refusal;
    const description = answer.status === 200 ? described.safeParse(parseJson(answer.body)) : null;
    if (description?.success) return { kind: 'read', limits: limitsOf(description.data) };
  }
  return { kind: 'read', limits: defaultLimits };
}

function limitsOf(description: z.infer<typeof described>): InstanceLimits {
  const { configuration, max_toot_chars, upload_limit, version = '', source_url = '' } = description;
  const { statuses, media_attachments } = configuration ?? {};
  const imageBytes = media_attachments?.image_size_limit ?? upload_limit ?? defaultLimits.maxImageBytes;
  const { maxCharacters, charactersReservedPerUrl, maxMediaAttachments, maxDescription } = defaultLimits;
  return {
    flavour: flavourOf(version, source_url),
    version,
    maxCharacters: statuses?.max_characters ?? max_toot_chars ?? maxCharacters,
    charactersReservedPerUrl: statuses?.characters_reserved_per_url ?? charactersReservedPerUrl,
    maxMediaAttachments: statuses?.max_media_attachments ?? maxMediaAttachments,
    mediaTypes: media_attachments?.supported_mime_types ?? null,
    maxImageBytes: Math.min(imageBytes, mostImageBytes),
    maxDescription: Math.min(media_attachments?.description_limit ?? maxDescription, maxDescription),
  };
}

const named: readonly [RegExp, Flavour][] = [
  [/pleroma|akkoma/i, 'pleroma'],
  [/gotosocial/i, 'gotosocial'],
  [/snac/i, 'snac'],
  [/friendica/i, 'friendica'],
];

// All but Mastodon, its forks and GoToSocial put their name behind the version that they resemble:
// `2.7.2 (compatible; Akkoma 3.15.2)`. GoToSocial is told by where its source lies.
function flavourOf(version: string, sourceUrl: string): Flavour {
  const flavour = named.find(([name]) => name.test(`${version} ${sourceUrl}`))?.[1];
  if (flavour !== undefined) return flavour;
  return /^[1-9]\d*\.\d+\.\d+[^(]*$/.test(version) ? 'mastodon' : 'other';
}
