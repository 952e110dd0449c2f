import { splitGraphemes } from '../../text/graphemes.ts';
import type { ComposeContext, NotComposed, Post } from '../Channel.ts';
import type { MastodonAccount } from './account.ts';
import type { Api } from './api.ts';
import type { MastodonSettings } from './settings.ts';
import { uploadPicture } from './uploadPicture.ts';

export type AttachedPicture =
  | { kind: 'attached'; mediaId: string }
  | { kind: 'none' }
  | { kind: 'left_out'; detail: string }
  | { kind: 'refused'; refusal: NotComposed };

/** For an instance that does not say. */
const usualTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

/** Fetches the picture of a post and uploads it. One that cannot be had costs itself, unless it is required. */
export async function attachPicture(
  post: Post,
  { image }: MastodonSettings,
  context: ComposeContext<MastodonAccount>,
): Promise<AttachedPicture> {
  if (image === 'off') return { kind: 'none' };
  const picture = await bringPicture(post, context);
  if (image === 'optional' || picture.kind === 'attached' || picture.kind === 'refused') return picture;
  const detail = picture.kind === 'none' ? 'the article has no picture' : picture.detail;
  const refusal = { kind: 'failed', code: 'image_unavailable', detail } as const;
  return { kind: 'refused', refusal: { ...refusal, isFinal: false, blames: 'article' } };
}

async function bringPicture(
  { imageUrl, imageAlt, title, postKey }: Post,
  { account, composedAt, fetchImage, send, signal }: ComposeContext<MastodonAccount>,
): Promise<AttachedPicture> {
  const { mediaTypes, maxImageBytes, maxMediaAttachments, maxDescription } = account.session.limits;
  if (imageUrl === null) return { kind: 'none' };
  if (maxMediaAttachments === 0) return leftOut('the instance allows no pictures');
  const fetched = await fetchImage(imageUrl, { maxBytes: maxImageBytes });
  if (fetched.kind === 'unavailable') return leftOut(fetched.detail);
  const { bytes, mediaType } = fetched;
  if (!(mediaTypes ?? usualTypes).includes(mediaType)) return leftOut(`the instance takes no ${mediaType}`);

  const description = splitGraphemes(imageAlt ?? title)
    .slice(0, maxDescription)
    .join('');
  const api: Api = { ...account.credentials, send, now: composedAt };
  const uploaded = await uploadPicture(api, { bytes, mediaType, name: postKey, description }, { signal });
  switch (uploaded.kind) {
    case 'uploaded':
      return { kind: 'attached', mediaId: uploaded.mediaId };
    case 'unusable':
      return leftOut(`it was not taken: ${uploaded.detail}`);
    case 'refused':
      return uploaded;
    default:
      return uploaded satisfies never;
  }
}

function leftOut(detail: string): AttachedPicture {
  return { kind: 'left_out', detail };
}
