import { z } from 'zod';
import type { ComposeContext, NotComposed, Post } from '../Channel.ts';
import { parseJson } from '../json.ts';
import { multipartForm } from '../multipart.ts';
import type { ImageChoice } from '../settingsParts.ts';
import { describe, isRefusalOfAll, refusalBeforePost } from './answers.ts';
import type { Ask } from './api.ts';

/** `url` null: the post goes out without one. */
export type FeatureImage = { kind: 'image'; url: string | null; notes: string[] };

type ImageOptions = {
  choice: ImageChoice;
  /** Without its ending. */
  fileName: string;
  ask: Ask;
  fetchImage: ComposeContext['fetchImage'];
};

const maxBytes = 10 * 1024 * 1024;
const none: FeatureImage = { kind: 'image', url: null, notes: [] };
const uploaded = z.object({ images: z.tuple([z.object({ url: z.string() })]) });

const extensions: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
};

/** Uploads the article's picture. What is wrong with it costs the picture, unless it is required. */
export async function uploadFeatureImage(
  { imageUrl }: Post,
  { choice, fileName, ask, fetchImage }: ImageOptions,
): Promise<FeatureImage | NotComposed> {
  if (choice === 'off' || (imageUrl === null && choice === 'optional')) return none;
  if (imageUrl === null) return lost(choice, 'the article has none');
  const image = await fetchImage(imageUrl, { maxBytes });
  if (image.kind === 'unavailable') return lost(choice, image.detail);
  const { bytes, mediaType } = image;
  const name = `${fileName}.${extensions[mediaType] ?? 'bin'}`;
  const form = multipartForm([
    { name: 'file', bytes, fileName: name, mediaType },
    { name: 'ref', value: name },
  ]);
  const result = await ask({ method: 'POST', path: '/images/upload/', form });
  if (isRefusalOfAll(result)) return refusalBeforePost(result);
  if (result.phase !== 'answered') return lost(choice, result.detail);
  const answer = result.status < 300 ? uploaded.safeParse(parseJson(result.body)).data : undefined;
  if (answer === undefined) return lost(choice, describe(result));
  return { kind: 'image', url: answer.images[0].url, notes: [] };
}

function lost(choice: ImageChoice, detail: string): FeatureImage | NotComposed {
  if (choice === 'required')
    return { kind: 'failed', code: 'image_unavailable', detail, isFinal: false, blames: 'article' };
  return { ...none, notes: [`without its picture: ${detail}`] };
}
