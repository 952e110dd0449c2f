import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDatabaseHealth, type DatabaseHealth } from '../../src/database/DatabaseHealth.ts';
import { type LogLine, recordingLogger } from '../support/recordingLogger.ts';

const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
const coded = (code: string, message: string) => Object.assign(new Error(message), { code });

let health: DatabaseHealth;
let lines: LogLine[];

beforeEach(() => {
  // The calm is measured on the clock that never jumps.
  vi.useFakeTimers({ toFake: ['performance'] });
  const recording = recordingLogger();
  lines = recording.lines;
  health = createDatabaseHealth(recording.logger);
});

afterEach(() => {
  vi.useRealTimers();
});

const told = () => lines.map(({ msg }) => msg);
const calm = () => vi.advanceTimersByTime(2_000);

describe('what is known of the database', () => {
  it('logs a loss once, however often it is met, and the return once', () => {
    for (let times = 0; times < 100; times += 1) expect(health.failed(refused)).toBe(true);
    const trouble = health.trouble;
    calm();
    for (let times = 0; times < 100; times += 1) health.answered();

    expect(trouble).toBe('connect ECONNREFUSED 127.0.0.1:5432');
    expect(health.trouble).toBeNull();
    expect(told()).toEqual(['database lost: connect ECONNREFUSED 127.0.0.1:5432', 'database reached']);
  });

  it('leaves a fault of ours to the caller', () => {
    expect(health.failed(coded('42P01', 'relation "x" does not exist'))).toBe(false);
    expect(health.trouble).toBeNull();
    expect(told()).toEqual([]);
  });

  it('takes it for one trouble when some are answered and others are not', () => {
    const full = coded('53300', 'sorry, too many clients already');
    for (let times = 0; times < 10; times += 1) {
      health.failed(full);
      health.answered({ wrote: true });
      vi.advanceTimersByTime(500);
    }

    expect(health.trouble).toBe('sorry, too many clients already');
    expect(told()).toEqual(['database lost: sorry, too many clients already']);
  });

  it.each([
    ['53100', 'could not extend file "base/5/1": No space left on device'],
    ['XX000', 'could not extend file "base/5/1": Disk quota exceeded'],
    ['25006', 'cannot execute UPDATE in a read-only transaction'],
  ])('takes only a write for the end of %s, since it can be read all the while', (code, message) => {
    health.failed(coded(code, message));
    calm();

    health.answered();
    const afterReading = health.trouble;
    health.answered({ wrote: true });

    expect(afterReading).toBe(message);
    expect(health.trouble).toBeNull();
  });

  it('tells of another kind of trouble within the first, once', () => {
    health.failed(refused);
    health.failed(coded('57P03', 'the database system is starting up'));
    health.failed(coded('25006', 'cannot execute UPDATE in a read-only transaction'));
    health.failed(refused);

    expect(told()).toEqual([
      'database lost: connect ECONNREFUSED 127.0.0.1:5432',
      'database lost: cannot execute UPDATE in a read-only transaction',
    ]);
  });

  it('says what the server or the network said, without what was asked', () => {
    const cause = coded('57P01', 'select 1 - terminating connection due to administrator command');

    health.failed(new Error('the lock of publishing:7 could not be asked for', { cause }));

    expect(health.trouble).toBe('terminating connection due to administrator command');
  });
});
