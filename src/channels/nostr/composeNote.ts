import { finalizeEvent } from 'nostr-tools/pure';
import type { ComposeAnswer, ComposeContext, NotComposed, Post } from '../Channel.ts';
import { type NostrAccount, privateKeyOf } from './account.ts';
import { type NotePicture, noteOf, pictureOf, tooLong } from './note.ts';
import type { NostrSettings } from './settings.ts';

/** A note as relays take it (NIP-01): id and signature are part of it, so that every repeat is the same note. */
export type SignedNote = {
  id: string;
  pubkey: string;
  created_at: number;
  kind: number;
  tags: string[][];
  content: string;
  sig: string;
};

const maxImageBytes = 10_000_000;

/**
 * Makes and signs the note. It bears the instant at which it is composed and not `postCreatedAt`: clients order
 * by it alone, and an article that waited for days would come out below the notes of those days.
 */
export async function composeNote(
  post: Post,
  settings: NostrSettings,
  { account, composedAt, fetchImage }: ComposeContext<NostrAccount>,
): Promise<ComposeAnswer<SignedNote> | NotComposed> {
  const picture = await lookAtPicture(post, settings, fetchImage);
  if (picture.kind === 'failed') return picture;
  const note = noteOf(post, settings, picture.picture);
  if (note === null) return invalid('too_long', tooLong(settings));
  if (note.content === '') return invalid('invalid_post', 'there is neither text nor link');

  const { content, tags } = note;
  const createdAtSeconds = Math.floor(composedAt.getTime() / 1_000);
  const signed = finalizeEvent(
    { kind: 1, created_at: createdAtSeconds, tags, content },
    privateKeyOf(account),
  );
  const { id, pubkey, sig } = signed;
  const composed = { id, pubkey, created_at: createdAtSeconds, kind: 1, tags, content, sig };
  return { kind: 'composed', composed, notes: [...note.notes, ...picture.notes] };
}

type LookedAt = { kind: 'looked'; picture: NotePicture | null; notes: readonly string[] };

// It is fetched only to see that it is one: a note holds the address.
async function lookAtPicture(
  post: Post,
  settings: NostrSettings,
  fetchImage: ComposeContext['fetchImage'],
): Promise<LookedAt | Extract<NotComposed, { kind: 'failed' }>> {
  const wanted = pictureOf(post, settings);
  let reason = post.imageUrl === null ? 'the article has none' : 'its address is not http or https';
  if (wanted !== null) {
    const answer = await fetchImage(wanted.url, { maxBytes: maxImageBytes });
    if (answer.kind === 'image') return looked({ ...wanted, mediaType: answer.mediaType }, []);
    reason = answer.detail;
  }
  if (settings.image === 'required') return missing(`its picture is required: ${reason}`);
  const isLeftOut = settings.image !== 'off' && post.imageUrl !== null;
  return looked(null, isLeftOut ? [`the picture was left out: ${reason}`] : []);
}

function looked(picture: NotePicture | null, notes: readonly string[]): LookedAt {
  return { kind: 'looked', picture, notes };
}

function missing(detail: string) {
  return { kind: 'failed', code: 'image_unavailable', detail, isFinal: false, blames: 'article' } as const;
}

function invalid(code: 'too_long' | 'invalid_post', detail: string): NotComposed {
  return { kind: 'failed', code, detail, isFinal: true, blames: 'article' };
}
