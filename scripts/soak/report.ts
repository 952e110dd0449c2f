import type { Outcomes } from './countOutcomes.ts';
import type { FaultCounts } from './injectFaults.ts';
import { countKills } from './killWorkers.ts';
import type { Longest, Silence } from './Silence.ts';
import type { WorkerSlot } from './WorkerSlot.ts';

type Report = {
  outcomes: Outcomes;
  faults: FaultCounts;
  slots: readonly WorkerSlot[];
  silence: Silence;
  startedMs: number;
  tookMs: number;
};

/** The counts, for people: a line for each thing that was counted. */
export function formatReport({ outcomes, faults, slots, silence, startedMs, tookMs }: Report): string {
  const deaths = slots.flatMap(slot => slot.deaths);
  const strikes = deaths.flatMap(death => death.strikes).length;
  const { recovered } = outcomes;
  const lines: [string, string | number][] = [
    ['faults', [...faults.values()].reduce((sum, count) => sum + count, 0)],
    ...[...faults].sort(byName).map(([name, count]): [string, number] => [`  ${name}`, count]),
    ['strikes of the saboteur', strikes],
    ['kills', countKills(slots)],
    ['restarts', deaths.length - slots.length],
    ['articles fed', outcomes.articles],
    ['publications', outcomes.publications],
    ['posts accepted', outcomes.accepted],
    ['repeats dropped by the receiver', outcomes.repeatsDropped],
    ['unknown outcomes', outcomes.unknowns],
    ['  published after a look-up', recovered.byLookUp],
    ['  published after a repeat', recovered.byRepeat],
    ['  published by a late answer', recovered.late],
    ['  published by a person', recovered.byPerson],
    ['  not there, by a look-up', outcomes.notThere],
    ['  sent again by a person', outcomes.sentAgain],
    ['interrupted claims', outcomes.interrupted],
    ['deaths of articles', `${outcomes.deaths} (${outcomes.retries} retried by a person)`],
    ['dead at the end', outcomes.dead],
    ['skipped', outcomes.skipped],
    ['unknown at the end, told', outcomes.unknownLeft],
    ['waiting for a cap', outcomes.waiting],
    ['longest silence', describe(silence.longest, startedMs)],
    ['took', seconds(tookMs)],
  ];
  return lines.map(([what, count]) => `${what.padEnd(42)}${count}`).join('\n');
}

function byName([a]: readonly [string, number], [b]: readonly [string, number]): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

function describe(longest: Longest | null, startedMs: number): string {
  if (longest === null) return 'under 5 s';
  const { ms, workspaceId, endedMs, tickedMs } = longest;
  const ticked = tickedMs === null ? 'no tick yet' : `its last tick ${seconds(tickedMs)} before`;
  return `${seconds(ms)} (workspace ${workspaceId}, until ${seconds(endedMs - startedMs)}, ${ticked})`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
