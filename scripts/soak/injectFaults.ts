import { pause } from './every.ts';
import { type FaultContext, type FaultName, faults } from './faults.ts';
import type { World } from './openWorld.ts';
import { createRandom } from './random.ts';

const firstAfterMs = 1_000;
const shortestPauseMs = 1_000;
const longestPauseMs = 5_000;

/** How often each fault has struck. */
export type FaultCounts = Map<FaultName, number>;

/**
 * Lets a fault strike every 1 to 5 s until the signal, several at once where they last; then resolves when all
 * that they took away is back.
 */
export async function injectFaults(
  { seed, ...context }: Omit<FaultContext, 'random'> & { seed: number },
  counts: FaultCounts,
): Promise<void> {
  const { signal, complain } = context;
  const random = createRandom(seed, 'faults');
  const names = availableFaults(context.world);
  const striking = new Set<Promise<void>>();
  await pause(firstAfterMs, signal);
  for (let nth = 1; !signal.aborted; nth += 1) {
    const name = random.pick(names);
    counts.set(name, (counts.get(name) ?? 0) + 1);
    // One of its own: in what order those that overlap make their choices is a matter of timing.
    const ownRandom = createRandom(seed, `fault ${nth}`);
    const strike = faults[name]({ ...context, random: ownRandom })
      .catch(error => complain(`${name}: ${error instanceof Error ? error.message : error}`))
      .finally(() => striking.delete(strike));
    striking.add(strike);
    await pause(random.between(shortestPauseMs, longestPauseMs), signal);
  }
  await Promise.all(striking);
}

const ofRedis: readonly FaultName[] = ['F17 stop Redis', 'F29 flush Redis', 'F30 restart Redis empty'];

function availableFaults({ redis }: World): FaultName[] {
  return faultNames.filter(name => redis !== null || !ofRedis.includes(name));
}

const faultNames = Object.keys(faults).filter(isFaultName);

function isFaultName(name: string): name is FaultName {
  return Object.hasOwn(faults, name);
}
