import { z } from 'zod';
import { duplicates, type ImageChoice, image } from '../settingsParts.ts';
import { relayUrl } from './relayUrl.ts';

export type NostrSettings = {
  /** Every one of them is sent each note. */
  relays: string[];
  /** How many of them must take a note before it counts as published. */
  minRelays: number;
  /** Of a note, in Unicode characters, as relays count (NIP-11). */
  maxLength: number;
  image: ImageChoice;
  duplicates: string;
  /** Why clients hide a note until it is asked for (NIP-36). */
  contentWarning?: string | undefined;
};

const count = 'must be a whole number';

export const nostrSettings = z
  .strictObject({
    relays: z
      .array(relayUrl, 'must be a list of relays')
      .min(1, 'must name at least one relay')
      .max(20, 'must not name more than 20 relays')
      .refine(relays => new Set(relays).size === relays.length, 'must not name a relay twice'),
    minRelays: z.int(count).min(1, 'must be at least 1').default(1),
    // Below it, a link may have no room; above it, hardly a relay would take the whole event.
    maxLength: z
      .int(count)
      .min(280, 'must be at least 280')
      .max(60_000, 'must be at most 60000')
      .default(5_000),
    image,
    duplicates: duplicates('7d'),
    contentWarning: z.string('must be text').trim().min(1, 'must say why, or be left out').optional(),
  })
  .refine(({ relays, minRelays }) => minRelays <= relays.length, {
    path: ['minRelays'],
    message: 'must not be more than there are relays',
  });
