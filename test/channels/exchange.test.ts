import { describe, expect, it } from 'vitest';
import { createExchange } from '../../src/channels/exchange.ts';
import { standingClock } from '../../src/clock.ts';

const now = new Date('2026-09-07T08:30:00.000Z');

/** Stands in for the library's hand on the connection. */
function fakeController() {
  const aborts: Error[] = [];
  const abort = (reason: Error) => aborts.push(reason);
  return { aborts, abort, pause() {}, resume() {}, aborted: false, paused: false, reason: null };
}

describe('an exchange', () => {
  it('never lets the library start the request a second time', async () => {
    const exchange = createExchange({ clock: standingClock(now), sendBy: now });
    const first = fakeController();
    const second = fakeController();

    exchange.handler.onRequestStart?.(first, null);
    exchange.handler.onRequestStart?.(second, null);

    expect(first.aborts).toEqual([]);
    expect(second.aborts).toHaveLength(1);
    expect(await exchange.result).toMatchObject({ phase: 'sent', failure: 'connection_reset' });
  });

  it('keeps its first end', async () => {
    const exchange = createExchange({ clock: standingClock(now), sendBy: now });
    const controller = fakeController();

    exchange.connectTimedOut();
    exchange.handler.onRequestStart?.(controller, null);
    exchange.handler.onResponseStart?.(controller, 204, {});

    expect(controller.aborts).toHaveLength(1);
    expect(await exchange.result).toMatchObject({ phase: 'not_sent', failure: 'connection_timeout' });
  });

  it('reads past early hints', async () => {
    const exchange = createExchange({ clock: standingClock(now), sendBy: now });
    const controller = fakeController();

    exchange.handler.onRequestStart?.(controller, null);
    exchange.handler.onResponseStart?.(controller, 103, { link: '</a.css>' });
    exchange.handler.onResponseStart?.(controller, 200, { 'x-id': ['1', '2'] });
    exchange.handler.onResponseEnd?.(controller, {});

    expect(await exchange.result).toMatchObject({
      phase: 'answered',
      status: 200,
      headers: { 'x-id': '1, 2' },
    });
  });
});
