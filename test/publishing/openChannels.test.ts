import { describe, expect, it } from 'vitest';
import type { ChannelState } from '../../src/models/schedule.ts';
import { openChannels } from '../../src/publishing/openChannels.ts';

const at = new Date('2026-09-07T10:00:00Z');
const shifted = (ms: number) => new Date(at.getTime() + ms);
const workspace = { id: 1, timezone: 'Europe/Berlin', tickIntervalMs: 300_000 };
const account = { id: 1, status: 'active', hold: null } as const;

function channel(state: Partial<ChannelState> = {}): ChannelState {
  return {
    id: 1,
    name: 'one',
    platform: 'fake',
    paused: false,
    intervalMs: 0,
    dailyCap: null,
    capthCountedAt: null,
    lastCountedAt: null,
    needsAccount: false,
    account: null,
    hold: null,
    lookUpAt: null,
    ...state,
  };
}

function hold(until: Date | null, reason = 'rate_limited') {
  return { reason, detail: 'as it said', until };
}

describe('openChannels', () => {
  it.each<[string, Partial<ChannelState>]>([
    ['nothing against it', {}],
    ['no interval and a publication of this instant', { lastCountedAt: at }],
    ['an interval that ends now', { intervalMs: 60_000, lastCountedAt: shifted(-60_000) }],
    ['a hold that ends now', { hold: hold(at) }],
    ['an account whose hold ends now', { account: { ...account, hold: hold(at) } }],
    ['a cap that was reached yesterday', { dailyCap: 1, capthCountedAt: shifted(-12.5 * 3_600_000) }],
    ['no account and nobody who found out yet', { needsAccount: true }],
    ['an account again, after the hold for want of one', { account, hold: hold(null, 'no_account') }],
  ])('finds a channel open with %s', (_, state) => {
    expect(openChannels(workspace, [channel(state)], at)).toMatchObject([{ closed: null }]);
  });

  it.each<[string, Partial<ChannelState>, Date | null]>([
    ['channel_paused', { paused: true }, null],
    ['channel_interval', { intervalMs: 60_000, lastCountedAt: shifted(-59_999) }, shifted(1)],
    ['channel_held', { hold: hold(shifted(1)) }, shifted(1)],
    ['channel_held', { hold: hold(null) }, null],
    [
      'channel_daily_cap',
      { dailyCap: 1, capthCountedAt: shifted(-3_600_000) },
      new Date('2026-09-07T22:00:00Z'),
    ],
    ['channel_daily_cap', { dailyCap: 0 }, null],
    ['no_account', { hold: hold(null, 'no_account') }, null],
    ['no_account', { account: { ...account, status: 'disabled' }, hold: hold(null, 'no_account') }, null],
    ['account_held', { account: { ...account, status: 'needs_attention' } }, null],
    ['account_held', { account: { ...account, hold: hold(shifted(1)) } }, shifted(1)],
    // Of several reasons the one that ends last.
    ['channel_held', { hold: hold(shifted(2)), intervalMs: 1, lastCountedAt: at }, shifted(2)],
    ['channel_interval', { hold: hold(shifted(2)), intervalMs: 3, lastCountedAt: at }, shifted(3)],
    ['channel_paused', { paused: true, hold: hold(shifted(2)) }, null],
  ])('says %s of a channel with %o', (reason, state, until) => {
    expect(openChannels(workspace, [channel(state)], at)).toMatchObject([{ closed: { reason, until } }]);
  });

  it('weighs each channel by itself', () => {
    const verdicts = openChannels(workspace, [channel({ paused: true }), channel({ id: 2 })], at);

    expect(verdicts.map(({ closed }) => closed?.reason ?? null)).toEqual(['channel_paused', null]);
  });
});
