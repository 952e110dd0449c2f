const maxFailures = 10;
const windowMs = 60_000;
const maxAddresses = 1_000;

export type LoginThrottle = {
  /** Whether an address has to wait before it may try again. */
  isThrottled(address: string, now: Date): boolean;
  recordFailure(address: string, now: Date): void;
};

/**
 * Counts failed log-ins by address: ten within a minute, and further tries are refused, right ones too,
 * until the oldest of the ten is a minute old. By address, so that a stranger who guesses does not lock
 * the operator out; behind a proxy all share one.
 */
export function createLoginThrottle(): LoginThrottle {
  const failures = new Map<string, number[]>();

  function recent(address: string, now: Date) {
    return (failures.get(address) ?? []).filter(atMs => atMs > now.getTime() - windowMs);
  }

  return {
    isThrottled: (address, now) => recent(address, now).length >= maxFailures,
    recordFailure(address, now) {
      const times = [...recent(address, now), now.getTime()];
      // Written anew, so that the map's first key is the address that was quiet for longest.
      failures.delete(address);
      failures.set(address, times);
      const [quietest] = failures.keys();
      if (failures.size > maxAddresses && quietest !== undefined) failures.delete(quietest);
    },
  };
}
