import type { MediaNs } from 'feedsmith';
import { resolveLink } from './resolveLink.ts';

export type Enclosure = { url?: string | undefined; type?: string | undefined };

/** An item's picture, absolute, and what it shows in words; null: the feed does not say. */
export type ItemImage = { imageUrl: string | null; imageAlt: string | undefined };

type Candidate = { url: string | undefined; alt?: string | undefined };

/** An item's picture: what the feed calls its image, a media thumbnail or picture, an attached picture. */
export function itemImage(
  given: readonly (string | undefined)[],
  media: MediaNs.ItemOrFeed | undefined,
  enclosures: readonly Enclosure[],
  bases: readonly (string | undefined)[],
): ItemImage {
  const candidates: Candidate[] = [
    ...given.map(url => ({ url })),
    { url: media?.thumbnails?.[0]?.url },
    pictureOf(media?.contents),
    ...(media?.groups ?? []).flatMap(group => [
      { url: group.thumbnails?.[0]?.url },
      pictureOf(group.contents),
    ]),
    { url: enclosures.find(({ type }) => type?.startsWith('image/'))?.url },
  ];
  for (const { url, alt } of candidates) {
    const imageUrl = resolveLink(url, bases);
    if (imageUrl !== null) return { imageUrl, imageAlt: alt };
  }
  return { imageUrl: null, imageAlt: undefined };
}

// A picture's own description is what publishers put its alternative text into.
function pictureOf(contents: readonly MediaNs.Content[] | undefined): Candidate {
  const picture = contents?.find(({ medium, type }) => medium === 'image' || type?.startsWith('image/'));
  if (picture?.url) return { url: picture.url, alt: picture.description?.value };
  return { url: contents?.find(({ thumbnails }) => thumbnails?.[0])?.thumbnails?.[0]?.url };
}
