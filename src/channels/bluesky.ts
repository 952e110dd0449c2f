import { z } from 'zod';
import { type Answer, describeAnswer, outcomeWithoutAnswer } from './answerOutcome.ts';
import { type BlueskyAccount, blueskyAccount, serviceOf } from './bluesky/account.ts';
import { checkAccount } from './bluesky/check.ts';
import { findExisting } from './bluesky/findExisting.ts';
import { uploadPicture } from './bluesky/picture.ts';
import { placeOf } from './bluesky/place.ts';
import { previewPost } from './bluesky/preview.ts';
import { composeRecord, type PostRecord, withoutPicture } from './bluesky/record.ts';
import { recordKey } from './bluesky/recordKey.ts';
import { outcomeOfRefusal } from './bluesky/refusal.ts';
import { type BlueskySettings, blueskySettings } from './bluesky/settings.ts';
import { errorName, procedure } from './bluesky/xrpc.ts';
import type { Channel } from './Channel.ts';
import { parseJson } from './json.ts';
import type { PublishOutcome } from './PublishOutcome.ts';

/** The whole post: what a repeat puts again, byte for byte. */
export type BlueskyPost = { key: string; record: PostRecord };

/**
 * Bluesky, or any server of the AT Protocol. A record is put under a key of ours, on the condition that there is
 * none yet: that is exactly once, so a lost answer is mended by putting it again. Never `createRecord`, which
 * answers a taken key with a 500.
 */
export const bluesky: Channel<BlueskySettings, BlueskyPost, BlueskyAccount> = {
  platform: 'bluesky',
  needsAccount: true,
  account: blueskyAccount,
  settings: blueskySettings,
  secretKeys: [],

  // An account has one timeline.
  destination(_settings, account) {
    return { instance: account?.instance ?? '', target: account?.username ?? '' };
  },

  reconciliation: () => ({ kind: 'repeat' }),

  preview: (post, settings) => previewPost(post, settings),

  check: (_settings, context) => checkAccount(context),

  findExisting,

  async compose(post, settings, context) {
    const picture = await uploadPicture(post, settings, context);
    if (picture.kind !== 'picture') return picture;
    const { blob, note } = picture;
    const { record, notes } = composeRecord(post, settings, { createdAt: context.composedAt, picture: blob });
    const composed = { key: recordKey(post), record };
    return { kind: 'composed', composed, notes: note === null ? notes : [...notes, note] };
  },

  async publish({ composed: { key, record } }, { image }, { account, send }) {
    const put = (record: PostRecord) => send(putRequest({ key, record }, account));
    const result = await put(record);
    if (result.phase !== 'answered') return outcomeWithoutAnswer(result);
    if (!isWithoutBlob(result)) return outcomeOf(result, key, account);

    // What was uploaded is gone, and nothing was stored: of a record that is there, it says InvalidSwap.
    const lost = { kind: 'failed', code: 'image_unavailable', isFinal: false, blames: 'article' } as const;
    if (image === 'required') return { ...lost, detail: describeAnswer(result) };
    const again = await put(withoutPicture(record));
    // Given back, it might fare the same at every tick.
    const isTooLate = again.phase === 'not_sent' && again.failure === 'send_by_passed';
    if (isTooLate) return { ...lost, detail: describeAnswer(result) };
    return again.phase === 'answered' ? outcomeOf(again, key, account) : outcomeWithoutAnswer(again);
  },
};

function putRequest({ key, record }: BlueskyPost, account: BlueskyAccount) {
  const { did, accessJwt: token } = account.session;
  const call = { service: serviceOf(account), nsid: 'com.atproto.repo.putRecord', token };
  // `swapRecord` null: only where there is no record yet.
  const json = { repo: did, collection: record.$type, rkey: key, record, swapRecord: null };
  return procedure(call, { json });
}

function isWithoutBlob(answer: Answer): boolean {
  return answer.status === 400 && errorName(answer) === 'BlobNotFound';
}

const stored = z.object({ uri: z.string(), cid: z.string() });

/**
 * `InvalidSwap`: a record with other contents is there. Its key is ours alone, so it is this publication, as an
 * earlier request left it (without its picture, or composed at another time).
 */
function outcomeOf(answer: Answer, key: string, { session }: BlueskyAccount): PublishOutcome {
  const isStored = answer.status === 200 && stored.safeParse(parseJson(answer.body)).success;
  const isThere = answer.status === 400 && errorName(answer) === 'InvalidSwap';
  return isStored || isThere ? { kind: 'succeeded', ...placeOf(session, key) } : outcomeOfRefusal(answer);
}
