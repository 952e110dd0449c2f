import { withMeantQuotes } from '../text/windows1252.ts';
import { withoutControls } from '../text/withoutControls.ts';

/** A text as PostgreSQL and a reader take it: without control characters, and with U+FFFD for half of a surrogate pair. */
export function storable(text: string): string {
  return withoutControls(withMeantQuotes(text)).replace(/\p{Surrogate}/gu, '\uFFFD');
}
