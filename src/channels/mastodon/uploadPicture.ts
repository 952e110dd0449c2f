import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type Answer, describeAnswer, outcomeBeforePost } from '../answerOutcome.ts';
import type { NotComposed } from '../Channel.ts';
import { parseJson } from '../json.ts';
import { multipartForm } from '../multipart.ts';
import type { RequestResult } from '../sendRequest.ts';
import { type Api, ask, submit } from './api.ts';
import { refusalOf } from './refusals.ts';
import { remoteId } from './remoteId.ts';

export type Picture = {
  bytes: Buffer;
  mediaType: string;
  /** Without an ending. snac's name for a file is the hash of it: the same one would replace the older picture. */
  name: string;
  /** What it shows, in words. */
  description: string;
};

export type UploadAnswer =
  | { kind: 'uploaded'; mediaId: string }
  /** It costs the picture. */
  | { kind: 'unusable'; detail: string }
  /** It is not about the picture. */
  | { kind: 'refused'; refusal: NotComposed };

export type UploadOptions = {
  signal: AbortSignal;
  /** How long is waited before each question whether a picture is processed; the last one ends it. */
  pollDelaysMs?: readonly number[];
};

const defaultPollDelaysMs = [300, 700, 1_500, 3_000, 5_000, 8_000];

const media = z.object({ id: remoteId });

/** Uploads a picture that a status can then have, and waits until the server has processed it. Nothing is public. */
export async function uploadPicture(
  api: Api,
  picture: Picture,
  { signal, pollDelaysMs = defaultPollDelaysMs }: UploadOptions,
): Promise<UploadAnswer> {
  const answer = await submitPicture(api, picture);
  if (answer.phase !== 'answered') return withoutAnswer(answer);
  const uploaded = answer.status < 300 ? media.safeParse(parseJson(answer.body)) : null;
  if (!uploaded?.success) return notUploaded(answer, api.now);
  const { id: mediaId } = uploaded.data;
  if (answer.status !== 202) return { kind: 'uploaded', mediaId };
  return awaitProcessing(api, mediaId, { signal, pollDelaysMs });
}

async function submitPicture(api: Api, picture: Picture): Promise<RequestResult> {
  const { bytes, mediaType, name, description } = picture;
  const fileName = `${name}.${mediaType.replace(/^image\//, '').replace('jpeg', 'jpg')}`;
  const { body, contentType } = multipartForm([
    { name: 'description', value: description },
    { name: 'file', bytes, fileName, mediaType },
  ]);
  const headers = { 'content-type': contentType };
  const answer = await submit(api, '/api/v2/media', { body, headers });
  if (answer.phase !== 'answered' || answer.status !== 404) return answer;
  return submit(api, '/api/v1/media', { body, headers });
}

async function awaitProcessing(
  api: Api,
  mediaId: string,
  { signal, pollDelaysMs }: Required<UploadOptions>,
): Promise<UploadAnswer> {
  for (const delayMs of pollDelaysMs) {
    await sleep(delayMs, undefined, { signal }).catch(() => {});
    const answer = await ask(api, `/api/v1/media/${encodeURIComponent(mediaId)}`);
    if (answer.phase !== 'answered') {
      if (answer.failure === 'aborted' || answer.failure === 'send_by_passed') return withoutAnswer(answer);
      continue;
    }
    if (answer.status === 200) return { kind: 'uploaded', mediaId };
    const isPending = answer.status === 206 || answer.status === 202 || answer.status >= 500;
    if (!isPending) return notUploaded(answer, api.now);
  }
  return { kind: 'unusable', detail: 'the instance was too long in processing it' };
}

// A picture that is too large ends many a connection in the middle of the request.
function withoutAnswer(result: Exclude<RequestResult, { phase: 'answered' }>): UploadAnswer {
  const refusal = outcomeBeforePost(result);
  if (result.phase === 'sent' && refusal.kind === 'failed')
    return { kind: 'unusable', detail: result.detail };
  return { kind: 'refused', refusal };
}

function notUploaded(answer: Answer, now: Date): UploadAnswer {
  const refusal = refusalOf(answer, now);
  const isAboutAccount = refusal?.kind === 'throttled' || refusal?.code === 'unauthorized';
  if (refusal && isAboutAccount) return { kind: 'refused', refusal };
  return { kind: 'unusable', detail: describeAnswer(answer) };
}
