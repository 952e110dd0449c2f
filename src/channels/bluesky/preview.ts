import { bytes } from '../../text/bytes.ts';
import { graphemes } from '../../text/graphemes.ts';
import type { Post, Preview, PreviewPart } from '../Channel.ts';
import { type Blob, composeRecord, maxBytes, maxGraphemes, type PostRecord } from './record.ts';
import type { BlueskySettings } from './settings.ts';

// Stands for one that is uploaded when the post is composed.
const someBlob: Blob = { $type: 'blob', ref: { $link: '' }, mimeType: 'image/*', size: 0 };

/** The post as it would be composed now, its picture taken for had. */
export function previewPost(post: Post, settings: BlueskySettings): Preview {
  const hasPicture = post.imageUrl !== null && settings.image !== 'off';
  const picture = hasPicture ? someBlob : null;
  const { record, notes } = composeRecord(post, settings, {
    createdAt: new Date(post.postCreatedAt),
    picture,
  });
  return { parts: partsOf(record, post), notes: hasPicture ? [...notes, pictureNote(settings)] : notes };
}

function partsOf({ text, embed, langs, labels }: PostRecord, { imageUrl }: Post): readonly PreviewPart[] {
  const parts: PreviewPart[] = [{ name: 'text', text, count: countOf(text) }];
  if (embed?.$type === 'app.bsky.embed.external') {
    const { uri, title, description } = embed.external;
    const lines = [title, description, uri].filter(line => line !== '');
    parts.push({ name: 'card', text: lines.join('\n'), count: null });
  }
  if (imageUrl !== null && embed?.$type === 'app.bsky.embed.images') {
    const [{ alt }] = embed.images;
    parts.push({ name: 'picture', text: [imageUrl, alt].join('\n').trim(), count: null });
  }
  if (langs) parts.push({ name: 'language', text: langs.join(', '), count: null });
  if (labels)
    parts.push({ name: 'labels', text: labels.values.map(({ val }) => val).join(', '), count: null });
  return parts;
}

/** By the limit that it is nearer to. */
function countOf(text: string): PreviewPart['count'] {
  const inGraphemes = { length: graphemes(text), limit: maxGraphemes, unit: 'graphemes' };
  const inBytes = { length: bytes(text), limit: maxBytes, unit: 'bytes' };
  return inBytes.length / maxBytes > inGraphemes.length / maxGraphemes ? inBytes : inGraphemes;
}

function pictureNote({ image }: BlueskySettings): string {
  const otherwise = image === 'required' ? 'fails' : 'goes without it';
  return `its picture is fetched when it is sent; where it cannot be had, the post ${otherwise}`;
}
