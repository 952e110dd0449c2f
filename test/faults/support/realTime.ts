import { defaultLimits, type LimitName, type Limits, limitNames, limitSetting } from '../../../src/limits.ts';

/** Whether the limits are as the product has them (`npm run test:faults -- --real-time`), or a twentieth. */
export const isRealTime = process.env.FAULTS_REAL_TIME === '1';

const scale = 20;
const shortestLimitMs = 100;
// On a busy machine a process does not boot, and open its queues, in a twentieth of the time.
const shortestQueueAnswerMs = 1_000;

/** How long a test waits for a signal, at most. */
export const signalLimitMs = isRealTime ? 300_000 : 40_000;

/** A time as it is in this run: itself in real time, else a twentieth, but never too short to be a limit. */
export function scaledMs(ms: number): number {
  return isRealTime ? ms : Math.max(shortestLimitMs, Math.round(ms / scale));
}

/** The limits of the processes that the tests start, unless they ask for others. */
export const limitsInForce = scaledLimits();

/** From the first signal to the exit: the default in real time, else the least that the setting allows. */
export const graceMs = isRealTime ? 25_000 : 5_000;

/** The settings for `limitsInForce`, with other values for some of them. */
export function limitSettings(others: Partial<Limits> = {}): Record<string, string> {
  const limits = { ...limitsInForce, ...others };
  const settings = limitNames.map(name => [limitSetting(name), `${limits[name]}ms`]);
  return Object.fromEntries([...settings, ['HEADWAY_SHUTDOWN_GRACE', `${graceMs}ms`]]);
}

function scaledLimits(): Limits {
  const scaled: Record<LimitName, number> = { ...defaultLimits };
  for (const name of limitNames) scaled[name] = scaledMs(defaultLimits[name]);
  return { ...scaled, queueAnswerMs: Math.max(scaled.queueAnswerMs, shortestQueueAnswerMs) };
}
