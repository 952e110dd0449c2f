import { describe, expect, it, vi } from 'vitest';
import { ScheduleReconciler } from '../../src/queue/ScheduleReconciler.ts';
import { until } from '../support/until.ts';

describe('ScheduleReconciler', () => {
  it('goes on after a pass that failed', async () => {
    let passes = 0;
    const reconciler = new ScheduleReconciler({
      everyMs: 5,
      reconcile: async () => {
        passes += 1;
        if (passes === 1) throw new Error('store away');
      },
    });

    reconciler.start();

    await until(() => passes >= 3);
    await reconciler.stop(1_000);
  });

  it('waits for the pass under way and begins no other', async () => {
    let passes = 0;
    let finish = () => {};
    const reconciler = new ScheduleReconciler({
      everyMs: 5,
      reconcile: () => {
        passes += 1;
        return new Promise<void>(resolve => {
          finish = resolve;
        });
      },
    });
    reconciler.start();
    await until(() => passes === 1);

    let isStopped = false;
    const stopping = reconciler.stop(5_000).then(() => {
      isStopped = true;
    });
    await new Promise(resolve => setImmediate(resolve));
    expect(isStopped).toBe(false);
    finish();
    await stopping;

    expect(passes).toBe(1);
  });

  it('stops in bounded time although a pass hangs', async () => {
    let passes = 0;
    const reconciler = new ScheduleReconciler({
      everyMs: 5,
      reconcile: () => {
        passes += 1;
        return new Promise<void>(() => {});
      },
    });
    reconciler.start();
    await until(() => passes === 1);

    await expect(reconciler.stop(20)).resolves.toBeUndefined();
  });

  it('looks sooner when something happened, but not more often than every five seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    let passes = 0;
    const reconciler = new ScheduleReconciler({
      everyMs: 30_000,
      reconcile: async () => {
        passes += 1;
      },
    });
    reconciler.hurry();
    reconciler.start();

    for (let seconds = 0; seconds < 20; seconds += 1) {
      reconciler.hurry();
      await vi.advanceTimersByTimeAsync(1_000);
    }
    const hurried = passes;
    await vi.advanceTimersByTimeAsync(29_000);
    await reconciler.stop(1_000);
    vi.useRealTimers();

    expect(hurried).toBeGreaterThanOrEqual(3);
    expect(hurried).toBeLessThanOrEqual(4);
    expect(passes).toBeLessThanOrEqual(hurried + 2);
  });
});
