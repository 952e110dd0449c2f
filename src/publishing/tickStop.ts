import { isCapReached, nextLocalDay } from '../calendar/localDay.ts';
import { isInsideWindows, nextOpening } from '../calendar/windows.ts';
import type { WorkspaceCalendar } from '../models/workspaces.ts';
import type { Closed } from './openChannels.ts';
import { nextSlot, slotOf } from './slot.ts';

/** What of a schedule concerns the whole workspace: a glance has it as well. */
export type Calendar = { workspace: WorkspaceCalendar; capthCountedAt: Date | null };

export type StopReason = 'paused' | 'outside_window' | 'daily_cap' | 'slot_used';

/**
 * What stops a whole workspace at `at`, each with its end, in the order in which a tick names them.
 * None is an error. A person's publish-now asks only for `paused` and `daily_cap`.
 */
export function workspaceStops({ workspace, capthCountedAt }: Calendar, at: Date): Closed<StopReason>[] {
  const { paused, windows, timezone, dailyCap } = workspace;
  const stops: Closed<StopReason>[] = [];
  if (paused) stops.push({ reason: 'paused', until: null, detail: null });
  if (!isInsideWindows(at, windows, timezone)) {
    const until = nextOpening(at, windows, timezone);
    stops.push({ reason: 'outside_window', until, detail: windows.join(', ') });
  }
  if (isCapReached(dailyCap, { capthCountedAt, at, zone: timezone })) {
    const until = dailyCap === 0 ? null : nextLocalDay(at, timezone);
    stops.push({ reason: 'daily_cap', until, detail: `${dailyCap} a day` });
  }
  const used = usedSlot({ workspace }, at);
  if (used) stops.push(used);
  return stops;
}

/** Whether the clock runs more than an interval behind the newest slot: it was set back. */
export function isClockSetBack({ workspace }: Pick<Calendar, 'workspace'>, at: Date): boolean {
  const { lastSlotAt, tickIntervalMs } = workspace;
  return lastSlotAt !== null && lastSlotAt.getTime() - at.getTime() > tickIntervalMs;
}

// Slots only go forward: the second run of a used slot, and a clock that was set back, publish nothing.
function usedSlot({ workspace }: Pick<Calendar, 'workspace'>, at: Date): Closed<'slot_used'> | null {
  const { lastSlotAt } = workspace;
  if (!lastSlotAt || lastSlotAt < slotOf(at, workspace)) return null;
  const detail = isClockSetBack({ workspace }, at)
    ? `the clock was set back: the newest slot is ${lastSlotAt.toISOString()}`
    : null;
  return { reason: 'slot_used', until: nextSlot(lastSlotAt, workspace), detail };
}
