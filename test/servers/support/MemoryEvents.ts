import {
  type Event,
  EventRepository,
  type EventRepositoryUpsertResult,
  EventUtils,
  type Filter,
} from '@nostr-relay/common';

/** Keeps a relay's events in memory. The relay's package wants a class of this family. */
export class MemoryEvents extends EventRepository {
  readonly #events = new Map<string, Event>();

  all(): readonly Event[] {
    return [...this.#events.values()];
  }

  isSearchSupported(): boolean {
    return false;
  }

  /** An addressable or replaceable event takes the place of an older one (NIP-01). */
  upsert(event: Event): EventRepositoryUpsertResult {
    if (this.#events.has(event.id)) return { isDuplicate: true };
    const place = placeOf(event);
    const before = place === null ? undefined : this.all().find(known => placeOf(known) === place);
    if (before !== undefined) {
      if (before.created_at > event.created_at) return { isDuplicate: true };
      this.#events.delete(before.id);
    }
    this.#events.set(event.id, event);
    return { isDuplicate: false };
  }

  /** Newest first, as NIP-01 wants it where there is a limit. */
  find(filter: Filter): Event[] {
    return this.all()
      .filter(event => EventUtils.isMatchingFilter(event, filter))
      .sort((a, b) => b.created_at - a.created_at)
      .slice(0, filter.limit);
  }

  async destroy(): Promise<void> {
    this.#events.clear();
  }
}

/** What a later event of the same place replaces; null for kinds that all stay. */
function placeOf({ kind, pubkey, tags }: Event): string | null {
  const isReplaceable = kind === 0 || kind === 3 || (kind >= 10_000 && kind < 20_000);
  if (isReplaceable) return `${kind}:${pubkey}`;
  const isAddressable = kind >= 30_000 && kind < 40_000;
  return isAddressable ? `${kind}:${pubkey}:${tags.find(([name]) => name === 'd')?.[1] ?? ''}` : null;
}
