import { describe, expect, it } from 'vitest';
import { createHostTurns } from '../../src/ingestion/hostTurns.ts';

function gate() {
  let open = () => {};
  const opened = new Promise<void>(resolve => {
    open = resolve;
  });
  return { open, opened };
}

describe('the turns of hosts', () => {
  it('ask one host in order, and others meanwhile', async () => {
    const inTurn = createHostTurns();
    const first = gate();
    const said: string[] = [];
    const say = (word: string) => async () => void said.push(word);

    const slow = inTurn('https://a.test/1', () => first.opened.then(say('a1')));
    const next = inTurn('https://a.test/2', say('a2'));
    await inTurn('https://b.test/', say('b'));
    await inTurn('https://a.test:8443/', say('a:8443'));
    first.open();
    await Promise.all([slow, next]);

    expect(said).toEqual(['b', 'a:8443', 'a1', 'a2']);
  });

  it('go on after work that failed, whose error its caller gets', async () => {
    const inTurn = createHostTurns();

    const failed = inTurn('no URL', () => Promise.reject(new Error('tripped')));
    const next = inTurn('no URL', async () => 'done');

    await expect(failed).rejects.toThrow('tripped');
    expect(await next).toBe('done');
  });
});
