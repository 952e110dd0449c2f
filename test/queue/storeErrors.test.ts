import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createStoreErrors } from '../../src/queue/storeErrors.ts';
import { collectingLogger } from './logLines.ts';

// The calm is measured on the clock that never jumps.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const calm = () => vi.advanceTimersByTime(2_000);

describe('createStoreErrors', () => {
  it('logs an error that repeats once', () => {
    const { logger, lines } = collectingLogger();
    const errors = createStoreErrors(logger);

    for (let count = 0; count < 1_000; count += 1) errors.report(new Error('connect ECONNREFUSED'));

    expect(lines.map(line => line.msg)).toEqual(['queue store failed: connect ECONNREFUSED']);
  });

  it('logs an error once that names another job each time', () => {
    const { logger, lines } = collectingLogger();
    const errors = createStoreErrors(logger);

    for (const slot of [1_788_769_800_000, 1_788_769_805_000]) {
      errors.report(new Error(`Missing lock for job repeat:publish-next-article:7:${slot}. moveToFinished`));
    }

    expect(lines).toHaveLength(1);
  });

  it('tells a tick that was given to another worker as that, and not as a failure of the store', () => {
    const { logger, lines } = collectingLogger();
    const errors = createStoreErrors(logger);

    errors.report(new Error('could not renew lock for job repeat:7:1'));
    errors.report(new Error('Missing lock for job repeat:7:1. moveToFinished'));
    errors.clear();

    expect(lines.map(line => line.msg)).toEqual([
      'tick given to another worker: could not renew lock for job repeat:7:1',
    ]);
  });

  it('logs a store that is out of reach once, in whatever words its connections tell it', () => {
    const { logger, lines } = collectingLogger();
    const errors = createStoreErrors(logger);

    errors.report(new Error('connect ECONNREFUSED 127.0.0.1:6379'));
    errors.report(new Error('Connection is closed.'));
    errors.clear();
    errors.report(new Error('Command timed out'));

    expect(lines.map(line => line.msg)).toEqual(['queue store failed: connect ECONNREFUSED 127.0.0.1:6379']);
  });

  it('logs two errors that alternate once each', () => {
    const { logger, lines } = collectingLogger();
    const errors = createStoreErrors(logger);

    for (let count = 0; count < 10; count += 1) {
      errors.report(new Error('connect ECONNREFUSED'));
      errors.report(new Error('OOM command not allowed'));
    }

    expect(lines).toHaveLength(2);
  });

  it('logs the recovery once, and the same error anew after it', () => {
    const { logger, lines } = collectingLogger();
    const errors = createStoreErrors(logger);
    errors.clear();
    errors.report(new Error('down'));

    calm();
    errors.clear();
    errors.clear();
    errors.report(new Error('down'));

    expect(lines.map(line => line.msg)).toEqual([
      'queue store failed: down',
      'queue store recovered',
      'queue store failed: down',
    ]);
  });

  it('names the errors inside one without a text of its own', () => {
    const { logger, lines } = collectingLogger();
    const refused = ['connect ECONNREFUSED ::1:5432', 'connect ECONNREFUSED 127.0.0.1:5432'];

    createStoreErrors(logger).report(
      new AggregateError(
        refused.map(text => new Error(text)),
        '',
      ),
    );

    expect(lines[0]?.msg).toBe(`queue store failed: ${refused.join('; ')}`);
  });

  it('leaves alone what is told of elsewhere, and passes on that something happened', () => {
    const { logger, lines } = collectingLogger();
    let happened = 0;
    const errors = createStoreErrors(logger, {
      isTold: error => error instanceof TypeError,
      onError: () => {
        happened += 1;
      },
    });

    errors.report(new TypeError('told of'));
    errors.report(new Error('down'));

    expect(lines.map(line => line.msg)).toEqual(['queue store failed: down']);
    expect(happened).toBe(2);
  });
});
