import { finalizeEvent, generateSecretKey } from 'nostr-tools/pure';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { openProxy } from '../faults/support/proxy.ts';
import { until } from '../support/until.ts';
import { type Relay, startNostrRelay } from './support/startNostrRelay.ts';

// Its parts are among the project's own development packages: it is never left out.
describe('nostr relay', () => {
  const key = generateSecretKey();
  let relay: Relay;

  beforeAll(async () => {
    relay = await startNostrRelay();
  });

  afterEach(() => relay.accept());

  afterAll(() => relay?.stop());

  it('stores an event once, however often it is sent', async () => {
    const event = note('A boat was built');

    const first = await send(relay.url, event);
    const again = await send(relay.url, note('A boat was built'));

    expect(first).toEqual(['OK', event.id, true, '']);
    expect(again).toEqual(['OK', event.id, true, expect.stringMatching(/^duplicate:/)]);
    expect(relay.events().filter(({ id }) => id === event.id)).toHaveLength(1);
  });

  it('refuses what was not signed as it stands, even under the id of an event that it has', async () => {
    const event = note('As it was');
    await send(relay.url, event);

    const forged = await send(relay.url, { ...event, content: 'As it is now' });
    const unsigned = await send(relay.url, { ...note('Unsigned'), sig: event.sig });

    expect(forged).toEqual(['OK', event.id, false, expect.stringMatching(/^invalid:/)]);
    expect(unsigned).toMatchObject({ 2: false, 3: expect.stringMatching(/^invalid:/) });
  });

  it.each(['blocked: not here', 'rate-limited: slow down'])('refuses with %s', async message => {
    relay.refuse(message);
    const event = note(`Refused with ${message}`);

    const answer = await send(relay.url, event);

    expect(answer).toEqual(['OK', event.id, false, message]);
    expect(relay.events()).not.toContainEqual(expect.objectContaining({ id: event.id }));
  });

  it('has stored the event whose answer is lost', async () => {
    const proxy = await openProxy(relay.url);
    const event = note('Lost on the way back');
    const { socket, answer } = await openSocket(proxy.url);
    proxy.swallowAnswers();
    socket.send(JSON.stringify(['EVENT', event]));

    await until(() => proxy.swallowed() > 0);
    proxy.reset();

    await expect(answer).rejects.toThrow('ended without an answer');
    expect(relay.events()).toContainEqual(expect.objectContaining({ id: event.id }));
    await proxy.close();
  });

  function note(content: string) {
    return finalizeEvent({ kind: 1, created_at: 1_767_323_045, tags: [], content }, key);
  }
});

async function send(url: string, event: object): Promise<unknown> {
  const { socket, answer } = await openSocket(url);
  socket.send(JSON.stringify(['EVENT', event]));
  const answered = await answer;
  socket.close();
  return answered;
}

/** `answer`: the first message that arrives. */
async function openSocket(url: string): Promise<{ socket: WebSocket; answer: Promise<unknown> }> {
  const socket = new WebSocket(url);
  const answer = new Promise<unknown>((resolve, reject) => {
    socket.once('message', text => resolve(JSON.parse(String(text))));
    socket.once('close', () => reject(new Error('ended without an answer')));
    socket.on('error', () => {});
  });
  answer.catch(() => {});
  await new Promise(resolve => socket.once('open', resolve));
  return { socket, answer };
}
