import { z } from 'zod';
import { describeAnswer } from '../answerOutcome.ts';
import type { ComposeContext, NotComposed, Post } from '../Channel.ts';
import { parseJson } from '../json.ts';
import type { RequestResult } from '../sendRequest.ts';
import type { ImageChoice } from '../settingsParts.ts';
import { isRefusalOfAll, refusalBeforePost } from './answers.ts';
import type { Ask } from './api.ts';

/** `id` null: the post goes out without one. */
export type FeaturedImage = { kind: 'image'; id: number | null; notes: string[] };

type ImageOptions = {
  choice: ImageChoice;
  /** Of the file, and so of its entry in the media library. */
  slug: string;
  ask: Ask;
  fetchImage: ComposeContext['fetchImage'];
};

const maxBytes = 10 * 1024 * 1024;
const maxAltChars = 500;
const none: FeaturedImage = { kind: 'image', id: null, notes: [] };
const media = z.object({ id: z.number().int().positive() });

const extensions: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
};

/**
 * Puts the article's picture into the media library, once: an earlier attempt may have done so. What is wrong
 * with the picture costs the picture, unless it is required; WordPress says that with a 500 too.
 */
export async function uploadFeaturedImage(
  { imageUrl, imageAlt }: Post,
  { choice, slug, ask, fetchImage }: ImageOptions,
): Promise<FeaturedImage | NotComposed> {
  if (choice === 'off' || (imageUrl === null && choice === 'optional')) return none;
  if (imageUrl === null) return lost(choice, 'the article has none');

  const query = { slug, _fields: 'id' };
  const found = await ask({ method: 'GET', path: '/wp/v2/media', query });
  if (isRefusalOfAll(found)) return refusalBeforePost(found);
  const earlier = readAnswer(found, z.array(media))?.[0];
  if (earlier !== undefined) return { kind: 'image', id: earlier.id, notes: [] };

  const image = await fetchImage(imageUrl, { maxBytes });
  if (image.kind === 'unavailable') return lost(choice, image.detail);
  const { bytes, mediaType } = image;
  const result = await ask({
    method: 'POST',
    path: '/wp/v2/media',
    query: imageAlt === null ? {} : { alt_text: imageAlt.slice(0, maxAltChars) },
    file: { bytes, mediaType, fileName: `${slug}.${extensions[mediaType] ?? 'bin'}` },
  });
  if (isRefusalOfAll(result)) return refusalBeforePost(result);
  const id = readAnswer(result, media)?.id ?? storedIdOf(result);
  if (id !== null) return { kind: 'image', id, notes: [] };
  return lost(choice, result.phase === 'answered' ? describeAnswer(result) : result.detail);
}

function readAnswer<Value>(result: RequestResult, schema: z.ZodType<Value>): Value | undefined {
  if (result.phase !== 'answered' || result.status >= 300) return undefined;
  return schema.safeParse(parseJson(result.body)).data;
}

// A large picture can exhaust PHP while smaller sizes are made of it; it is stored by then, and the header says so.
function storedIdOf(result: RequestResult): number | null {
  const id = result.phase === 'answered' ? Number(result.headers['x-wp-upload-attachment-id']) : 0;
  return Number.isInteger(id) && id > 0 ? id : null;
}

function lost(choice: ImageChoice, detail: string): FeaturedImage | NotComposed {
  if (choice === 'required')
    return { kind: 'failed', code: 'image_unavailable', detail, isFinal: false, blames: 'article' };
  return { ...none, notes: [`without its picture: ${detail}`] };
}
