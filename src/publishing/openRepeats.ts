import type { Database } from '../database/Database.ts';
import type { UnknownOutcome } from '../models/unknownOutcomes.ts';
import { loadForRepeat, objectionTo } from './passGate.ts';

/**
 * Which of the unknown outcomes may be sent again now. A repeat is a send and obeys what the gate will ask,
 * asked here first: a row that must wait need not be claimed and given back at every tick.
 */
export async function openRepeats(
  db: Database,
  repeats: readonly UnknownOutcome[],
  { at, slotAt }: { at: Date; slotAt: Date },
): Promise<UnknownOutcome[]> {
  const open: UnknownOutcome[] = [];
  for (const repeat of repeats) {
    const schedule = await loadForRepeat(db, repeat);
    if (!objectionTo(schedule, { at, slotAt })) open.push(repeat);
  }
  return open;
}
