import { describe, expect, it } from 'vitest';
import { createBulkTurns } from '../../src/ingestion/bulkTurns.ts';

describe('the turns of large reads', () => {
  it('let them be stored one after the other, and small ones meanwhile', async () => {
    const inBulkTurn = createBulkTurns();
    const said: string[] = [];
    const say = (word: string) => async () => void said.push(word);
    let open = () => {};
    const opened = new Promise<void>(resolve => {
      open = resolve;
    });

    const first = inBulkTurn(20_000, () => opened.then(say('first')));
    const second = inBulkTurn(1_000, say('second'));
    await inBulkTurn(999, say('small'));
    open();
    await Promise.all([first, second]);

    expect(said).toEqual(['small', 'first', 'second']);
  });

  it('go on after one that failed, whose error its caller gets', async () => {
    const inBulkTurn = createBulkTurns();

    const failed = inBulkTurn(1_000, () => Promise.reject(new Error('tripped')));
    const next = inBulkTurn(1_000, async () => 'done');

    await expect(failed).rejects.toThrow('tripped');
    expect(await next).toBe('done');
  });
});
