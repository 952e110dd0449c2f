import type { MediaNs } from 'feedsmith';
import { resolveLink } from './resolveLink.ts';

export type Enclosure = { url?: string | undefined; type?: string | undefined };

/** An item's picture: what the feed calls its image, a media thumbnail or picture, an attached picture. */
export function itemImage(
  given: readonly (string | undefined)[],
  media: MediaNs.ItemOrFeed | undefined,
  enclosures: readonly Enclosure[],
  bases: readonly (string | undefined)[],
): string | null {
  const candidates = [
    ...given,
    media?.thumbnails?.[0]?.url,
    pictureOf(media?.contents),
    ...(media?.groups ?? []).flatMap(group => [group.thumbnails?.[0]?.url, pictureOf(group.contents)]),
    enclosures.find(({ type }) => type?.startsWith('image/'))?.url,
  ];
  for (const candidate of candidates) {
    const url = resolveLink(candidate, bases);
    if (url !== null) return url;
  }
  return null;
}

function pictureOf(contents: readonly MediaNs.Content[] | undefined): string | undefined {
  const picture = contents?.find(({ medium, type }) => medium === 'image' || type?.startsWith('image/'));
  return picture?.url ?? contents?.find(({ thumbnails }) => thumbnails?.[0])?.thumbnails?.[0]?.url;
}
