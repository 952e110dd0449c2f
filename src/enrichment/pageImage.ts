import { httpUrl, shortText } from './pageValues.ts';

export type PageImage = {
  /** Absolute, http or https. */
  url: string;
  /** In pixels, as the page says. */
  width: number | null;
  height: number | null;
  /** At most 1,000 characters. */
  alt: string | null;
};

/** A picture as a page names it, unread. */
export type GivenImage = {
  url?: string | undefined;
  secureUrl?: string | undefined;
  width?: string | undefined;
  height?: string | undefined;
  alt?: string | undefined;
};

const maxAlt = 1_000;
const maxPixels = 100_000;

/** The first of them that has a usable address, resolved by `base`; null: none has. */
export function firstImage(given: readonly GivenImage[], base: string): PageImage | null {
  for (const { url, secureUrl, width, height, alt } of given) {
    const plain = httpUrl(url, base);
    const secure = httpUrl(secureUrl, base);
    const chosen = plain?.startsWith('https:') ? plain : (secure ?? plain);
    if (chosen === null) continue;
    return {
      url: chosen,
      width: pixels(width),
      height: pixels(height),
      alt: alt === undefined ? null : shortText(alt, maxAlt),
    };
  }
  return null;
}

function pixels(text: string | undefined): number | null {
  const digits = text?.trim().match(/^(\d{1,6})(?:\s?px)?$/i)?.[1];
  const size = Number(digits ?? 0);
  return size >= 1 && size <= maxPixels ? size : null;
}
