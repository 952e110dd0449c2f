import { z } from 'zod';
import { describeAnswer } from '../answerOutcome.ts';
import type { ComposeContext, NotComposed, Post } from '../Channel.ts';
import { parseJson } from '../json.ts';
import { type BlueskyAccount, serviceOf } from './account.ts';
import type { Blob } from './record.ts';
import { outcomeOfEarlierRequest } from './refusal.ts';
import type { BlueskySettings } from './settings.ts';
import { procedure } from './xrpc.ts';

/** Of a picture in a post; a PDS takes more, and then refuses the post. */
export const maxPictureBytes = 1_000_000;

export type PictureAnswer =
  /** `blob` null: the post goes without; `note`: why, for people, where the article has one. */
  { kind: 'picture'; blob: Blob | null; note: string | null } | NotComposed;

const uploaded = z.object({
  blob: z.object({
    $type: z.literal('blob'),
    ref: z.object({ $link: z.string() }),
    mimeType: z.string(),
    size: z.number(),
  }),
});

/**
 * Fetches and uploads an article's picture. What cannot be had costs the picture, not the post, unless it is
 * required; what is about the account ends the post here, as it would with its own request.
 */
export async function uploadPicture(
  { imageUrl }: Post,
  { image }: BlueskySettings,
  { account, send, fetchImage }: ComposeContext<BlueskyAccount>,
): Promise<PictureAnswer> {
  if (image === 'off') return { kind: 'picture', blob: null, note: null };
  if (imageUrl === null) return without(image, null);

  const fetched = await fetchImage(imageUrl, { maxBytes: maxPictureBytes });
  if (fetched.kind === 'unavailable') return without(image, fetched.detail);

  const { accessJwt: token } = account.session;
  const call = { service: serviceOf(account), nsid: 'com.atproto.repo.uploadBlob', token };
  const result = await send(procedure(call, fetched));
  if (result.phase === 'answered' && result.status === 200) {
    const said = uploaded.safeParse(parseJson(result.body));
    if (said.success) return { kind: 'picture', blob: said.data.blob, note: null };
  }
  const outcome = outcomeOfEarlierRequest(result);
  if (!mayBeAboutPicture(outcome)) return outcome;
  return without(image, result.phase === 'answered' ? describeAnswer(result) : result.detail);
}

/** Of a failure, a wall or a missing place the post's own request will tell whether it is more than that. */
function mayBeAboutPicture(outcome: NotComposed): boolean {
  if (outcome.kind === 'failed') return true;
  return outcome.kind === 'blocked' && outcome.code !== 'unauthorized' && !outcome.isGone;
}

function without(image: BlueskySettings['image'], reason: string | null): PictureAnswer {
  if (image !== 'required') {
    return { kind: 'picture', blob: null, note: reason === null ? null : `without its picture: ${reason}` };
  }
  const detail = `its picture is required: ${reason ?? 'the article has none'}`;
  return { kind: 'failed', code: 'image_unavailable', detail, isFinal: false, blames: 'article' };
}
