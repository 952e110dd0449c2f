import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { timeLimit } from '../src/timeLimit.ts';
import { until } from './support/until.ts';

setFlagsFromString('--expose_gc');
const collectGarbage: () => void = runInNewContext('gc');

describe('timeLimit', () => {
  it('is aborted after its time, whatever has been collected meanwhile', async () => {
    const never = new AbortController();
    let isAborted = false;
    timeLimit(never.signal, 300).addEventListener('abort', () => {
      isAborted = true;
    });

    await until(() => {
      collectGarbage();
      return isAborted;
    });

    expect(never.signal.aborted).toBe(false);
  });

  it('is aborted with the signal that it limits', () => {
    const stopped = new AbortController();
    const limit = timeLimit(stopped.signal, 60_000);

    stopped.abort(new Error('stopping'));

    expect(limit.aborted).toBe(true);
    expect(limit.reason).toEqual(new Error('stopping'));
  });

  it('is aborted at once with one that is aborted already', () => {
    expect(timeLimit(AbortSignal.abort(), 60_000).aborted).toBe(true);
  });
});
