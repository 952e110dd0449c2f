import { once } from 'node:events';
import { decode } from 'nostr-tools/nip19';
import { finalizeEvent, generateSecretKey, verifyEvent } from 'nostr-tools/pure';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { nostr } from '../../src/channels/nostr.ts';
import { standingClock } from '../../src/clock.ts';
import { createAddressGuard } from '../../src/network/addressGuard.ts';
import { type FakeRelayOptions, openFakeRelay } from '../fakes/relay.ts';
import { openProxy } from '../faults/support/proxy.ts';
import { startNostrRelay } from '../servers/support/startNostrRelay.ts';
import { examplePost } from '../support/examplePost.ts';
import { until } from '../support/until.ts';
import { nostrAccount, nostrKey, nostrSecrets } from './harnesses/nostr.ts';
import { type ChannelUser, type OpenOptions, openChannel, sendBy, sendingAt } from './openChannel.ts';

const opened: (() => Promise<void>)[] = [];
const short = { limits: { sendConnectMs: 200, sendAnswerMs: 300 } };
const patient = { limits: { sendConnectMs: 5_000, sendAnswerMs: 5_000 } };
const tooLate = new Date(sendBy.getTime() + 1);

afterEach(async () => {
  await Promise.all(opened.splice(0).map(close => close()));
});

/** A real one, in this process. */
async function realRelay() {
  const relay = await startNostrRelay();
  opened.push(relay.stop);
  return relay;
}

async function fakeRelay(options: FakeRelayOptions = {}) {
  const relay = await openFakeRelay(options);
  opened.push(relay.close);
  return relay;
}

/** A relay that answers every note so. */
function answering(isTaken: boolean, words: string) {
  return fakeRelay({
    onMessage: (socket, text) => socket.send(JSON.stringify(['OK', noteIn(text).id, isTaken, words])),
  });
}

/** Tells a relay something, and waits for its answer. */
async function pass(url: string, text: string): Promise<void> {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  socket.send(text);
  await once(socket, 'message');
  socket.close();
}

function noteIn(text: string): { id: string } {
  return JSON.parse(text)[1];
}

/** With so much patience that only what is to be lost is lost. */
function use(
  relays: readonly { url: string }[],
  settings: Record<string, unknown> = {},
  options: OpenOptions = {},
): ChannelUser {
  const urls = relays.map(({ url }) => url);
  const place = { settings: { relays: urls, ...settings }, account: nostrAccount };
  const user = openChannel({ channel: nostr, secrets: nostrSecrets }, place, options);
  return {
    ...user,
    publish: (post, sending) => user.publish(post, { ...patient, ...sending }),
    send: (post, sending) => user.send(post, { ...patient, ...sending }),
    findExisting: (post, asking) => user.findExisting(post, { ...patient, ...asking }),
    check: () => user.check(patient),
  };
}

type Note = { id: string; created_at: number; content: string; tags: string[][] };

async function noteOf(
  post: Parameters<typeof examplePost>[0],
  settings: Record<string, unknown> = {},
  options: OpenOptions = {},
): Promise<Note> {
  const { composed } = await use([{ url: 'wss://relay.test' }], settings, options).compose(examplePost(post));
  return JSON.parse(JSON.stringify(composed));
}

describe('a note', () => {
  it('says text, link and picture, tagged so that it is found and shown', async () => {
    const note = await noteOf({ text: 'News of the #Queue', tags: ['release', 'Machine learning', '2026'] });

    expect(note.content).toBe('News of the #Queue\n\nhttps://news.test/a/1?x=1\n\nhttps://news.test/a/1.png');
    expect(note.tags).toEqual([
      ['d', examplePost().postKey],
      ['r', 'https://news.test/a/1?x=1'],
      ['t', 'queue'],
      ['t', 'release'],
      ['t', 'machinelearning'],
      ['imeta', 'url https://news.test/a/1.png', 'm image/png', 'alt A queue that moves.'],
    ]);
  });

  it('is signed once, at the instant at which it is composed', async () => {
    const user = use([{ url: 'wss://relay.test' }]);

    const { composed } = await user.compose(examplePost({ postCreatedAt: '2026-08-01T00:00:00.000Z' }));

    const note = JSON.parse(JSON.stringify(composed));
    expect(verifyEvent(note)).toBe(true);
    expect(note).toMatchObject({ kind: 1, created_at: Math.floor(sendingAt.getTime() / 1_000) });
    expect(note.pubkey).toBe(decode(nostrAccount.username).data);
  });

  it('bears the reason for which it is hidden', async () => {
    const note = await noteOf({}, { contentWarning: 'a spoiler' });

    expect(note.tags).toContainEqual(['content-warning', 'a spoiler']);
  });

  it('does without the picture where it cannot be had, and says so', async () => {
    const user = use([{ url: 'wss://relay.test' }], {}, { picture: null });

    const answer = await user.tryToCompose(examplePost());

    expect(answer).toMatchObject({ notes: ['the picture was left out: HTTP 404'] });
    expect(JSON.stringify(answer)).not.toContain('1.png');
  });

  it.each([
    ['cannot be had', { picture: null }, {}],
    ['is not there', {}, { imageUrl: null }],
    ['has no address that clients could load', {}, { imageUrl: 'data:image/png;base64,AAAA' }],
  ])('fails alone where a required picture %s', async (_name, options, post) => {
    const user = use([{ url: 'wss://relay.test' }], { image: 'required' }, options);

    const answer = await user.tryToCompose(examplePost(post));

    expect(answer).toMatchObject({
      kind: 'failed',
      code: 'image_unavailable',
      blames: 'article',
      isFinal: false,
    });
  });

  it('has no picture where none is wanted', async () => {
    const note = await noteOf({}, { image: 'off' });

    expect(note.content).not.toContain('1.png');
    expect(note.tags.map(([name]) => name)).not.toContain('imeta');
  });

  it('is as long as it may be, in Unicode characters, and cut at a word beyond that', async () => {
    const bare = { url: null, imageUrl: null };
    const full = `${'🚢'.repeat(148)} ${'b'.repeat(151)}`;

    const whole = await noteOf({ ...bare, text: full }, { maxLength: 300 });
    const cut = await noteOf({ ...bare, text: `${full}c` }, { maxLength: 300 });
    const linked = await noteOf({ imageUrl: null, text: 'word '.repeat(100) }, { maxLength: 300 });

    expect(whole.content).toBe(full);
    expect(cut.content).toBe(`${'🚢'.repeat(148)}…`);
    expect(linked.content).toMatch(/word…\n\nhttps:\/\/news\.test\/a\/1\?x=1$/);
    expect(linked.content.length).toBeLessThanOrEqual(300);
  });

  it('keeps its link rather than its picture, and fails for good without room for the link', async () => {
    const url = `https://news.test/${'a'.repeat(300 - 'https://news.test/'.length)}`;

    const note = await noteOf({ url }, { maxLength: 300 });
    const tooLong = await use([{ url: 'wss://relay.test' }], { maxLength: 300 }).tryToCompose(
      examplePost({ url: `${url}a` }),
    );

    expect(note.content).toBe(url);
    expect(tooLong).toMatchObject({ kind: 'failed', code: 'too_long', blames: 'article', isFinal: true });
  });

  it('holds nothing of which relays could make another hash', async () => {
    const relay = await realRelay();
    const odd = 'bell \u0007 half \ud83d pair, line\u2028end, quote " and \\ backslash\ttab';

    const outcome = await use([relay]).publish(examplePost({ text: odd, imageAlt: odd, tags: [odd] }));

    expect(outcome.kind).toBe('succeeded');
    expect(relay.events()[0]?.content).toContain('bell  half \ufffd pair, line\u2028end');
  });

  it('links to what is no page, too', async () => {
    const note = await noteOf({ url: 'gemini://news.test/a', imageUrl: null });

    expect(note.content).toMatch(/gemini:\/\/news\.test\/a$/);
    expect(note.tags).toContainEqual(['r', 'gemini://news.test/a']);
  });

  it('is not made of nothing', async () => {
    const answer = await use([{ url: 'wss://relay.test' }]).tryToCompose(
      examplePost({ text: ' ', url: null, imageUrl: null }),
    );

    expect(answer).toMatchObject({ kind: 'failed', code: 'invalid_post', isFinal: true });
  });
});

describe('publishing', () => {
  it('says where the note is, with a relay that has it', async () => {
    const refusing = await answering(false, 'blocked: no');
    const relay = await realRelay();

    const outcome = await use([refusing, relay]).publish(examplePost());

    const [event] = relay.events();
    expect(outcome).toMatchObject({ kind: 'succeeded', remoteId: event?.id });
    const { remoteUrl } = outcome as { remoteUrl: string };
    expect(remoteUrl).toMatch(/^https:\/\/njump\.me\/nevent1/);
    expect(decode(remoteUrl.slice('https://njump.me/'.length)).data).toMatchObject({
      id: event?.id,
      author: event?.pubkey,
      relays: [relay.url],
    });
  });

  it('sends the same note to every relay', async () => {
    const relays = await Promise.all([realRelay(), realRelay(), realRelay()]);

    await use(relays, { minRelays: 3 }).publish(examplePost());

    const [first, second, third] = relays.map(relay => relay.events());
    expect(first).toHaveLength(1);
    expect([second, third]).toEqual([first, first]);
  });

  it.each([
    [true, ''],
    [true, 'duplicate: already have this event'],
    [false, 'duplicate: already have this event'],
  ])('takes %s with "%s" for success', async (isTaken, words) => {
    const relay = await answering(isTaken, words);

    const outcome = await use([relay]).publish(examplePost());

    expect(outcome.kind).toBe('succeeded');
  });

  it.each<[string, number, [boolean, string][], object]>([
    [
      'enough took it',
      1,
      [
        [true, ''],
        [false, 'blocked: no'],
      ],
      { kind: 'succeeded' },
    ],
    [
      'too few took it',
      2,
      [
        [true, ''],
        [false, 'blocked: no'],
      ],
      { kind: 'unknown', code: 'forbidden' },
    ],
    [
      'one is more hopeful',
      1,
      [
        [false, 'invalid: no'],
        [false, 'error: no'],
      ],
      { kind: 'failed', isFinal: false },
    ],
    [
      'it may come later',
      1,
      [
        [false, 'error: no'],
        [false, 'rate-limited: no'],
      ],
      { kind: 'throttled' },
    ],
    [
      'one would take other notes',
      1,
      [
        [false, 'invalid: no'],
        [false, 'blocked: no'],
      ],
      { kind: 'blocked' },
    ],
    [
      'two have to take it',
      2,
      [
        [false, 'error: no'],
        [false, 'blocked: no'],
      ],
      { kind: 'blocked' },
    ],
    [
      'nobody ever will',
      1,
      [
        [false, 'invalid: no'],
        [false, 'invalid: no'],
      ],
      { kind: 'failed', isFinal: true },
    ],
  ])('makes one outcome of several where %s', async (_name, minRelays, answers, expected) => {
    const relays = await Promise.all(answers.map(([isTaken, words]) => answering(isTaken, words)));

    const outcome = await use(relays, { minRelays }).publish(examplePost());

    expect(outcome).toMatchObject(expected);
  });

  it('names the relays with their words', async () => {
    const relays = await Promise.all([
      answering(false, 'blocked: not you'),
      answering(false, `error: ${'x'.repeat(500)}`),
    ]);

    const outcome = await use(relays).publish(examplePost());

    const [first, second] = relays.map(({ url }) => url.replace('ws://', ''));
    expect(outcome).toMatchObject({
      detail: expect.stringContaining(`${first}: blocked: not you; ${second}: error: xxx`),
    });
    expect(JSON.stringify(outcome).length).toBeLessThan(500);
  });

  it('tells an answer to another note from its own', async () => {
    const relay = await fakeRelay({
      onMessage: socket => {
        socket.send(JSON.stringify(['OK', '0'.repeat(64), true, '']));
        socket.send(JSON.stringify(['AUTH', 'challenge']));
        socket.send(JSON.stringify(['NOTICE', 'could not parse command']));
      },
    });

    const outcome = await use([relay]).publish(examplePost(), short);

    expect(outcome).toMatchObject({ kind: 'unknown', code: 'response_timeout' });
    expect(outcome).toMatchObject({ detail: expect.stringContaining('it said: could not parse command') });
  });
});

describe('a search that a relay refuses in a notice', () => {
  it('ends at once, in the words of the relay', async () => {
    const relay = await fakeRelay({
      onMessage: socket =>
        socket.send(JSON.stringify(['NOTICE', 'invalid: must be at most 1024 characters'])),
    });

    const answer = await use([relay]).findExisting(examplePost(), {
      limits: { sendConnectMs: 5_000, sendAnswerMs: 5_000 },
    });

    expect(answer).toMatchObject({
      kind: 'incomplete',
      detail: expect.stringContaining('invalid: must be at most 1024 characters'),
    });
  });
});

describe('a lost answer', () => {
  it.each<[string, (socket: WebSocket, text: string) => void, string]>([
    ['nothing', () => {}, 'response_timeout'],
    ['garbage', socket => socket.send('<html>'), 'response_timeout'],
    [
      'an answer of another form',
      (socket, text) => socket.send(JSON.stringify(['OK', noteIn(text).id, 'yes'])),
      'response_timeout',
    ],
    ['good-bye', socket => socket.close(), 'connection_reset'],
    ['a reset', socket => socket.terminate(), 'connection_reset'],
  ])('is unknown where a relay answers with %s', async (_name, onMessage, code) => {
    const relay = await fakeRelay({ onMessage });

    const outcome = await use([relay]).publish(examplePost(), short);

    expect(outcome).toMatchObject({ kind: 'unknown', code });
    expect(relay.received).toHaveLength(1);
  });

  it('stays unknown when it comes late', async () => {
    let answerLate = () => {};
    const relay = await fakeRelay({
      onMessage(socket, text) {
        answerLate = () => socket.send(JSON.stringify(['OK', noteIn(text).id, true, '']));
      },
    });

    const outcome = await use([relay]).publish(examplePost(), short);
    answerLate();

    expect(outcome).toMatchObject({ kind: 'unknown', code: 'response_timeout' });
  });

  it('is unknown beside a refusal, and of no account beside enough that took it', async () => {
    const silent = await fakeRelay();
    const refusing = await answering(false, 'blocked: no');
    const taking = await answering(true, '');

    const unclear = await use([refusing, silent]).publish(examplePost(), short);
    const taken = await use([silent, taking]).publish(examplePost(), short);

    expect(unclear).toMatchObject({ kind: 'unknown', code: 'response_timeout' });
    expect(taken.kind).toBe('succeeded');
  });

  it('is mended by a repeat: a relay that has stored the note keeps one of it', async () => {
    const relay = await realRelay();
    const front = await fakeRelay({
      async onMessage(socket, text) {
        await pass(relay.url, text);
        socket.terminate();
      },
    });
    const composed = await use([front]).compose(examplePost());

    const lost = await use([front]).send(composed);
    const stored = relay.events().length;
    const repeated = await use([relay]).send(composed, { clock: standingClock(sendBy) });

    expect(lost).toMatchObject({ kind: 'unknown', code: 'connection_reset' });
    expect(stored).toBe(1);
    expect(repeated.kind).toBe('succeeded');
    expect(relay.events()).toHaveLength(1);
  });

  it('is unknown when it is aborted while it is awaited', async () => {
    const relay = await fakeRelay();
    const abort = new AbortController();

    const publishing = use([relay]).publish(examplePost(), { signal: abort.signal });
    await until(() => relay.received.length === 1, { intervalMs: 5 });
    abort.abort();

    expect(await publishing).toMatchObject({ kind: 'unknown', code: 'aborted' });
  });
});

describe('a note that is not sent', () => {
  it('is given back when it is aborted while it connects', async () => {
    const relay = await realRelay();
    const proxy = await openProxy(relay.url);
    opened.push(proxy.close);
    proxy.halfOpen();
    const abort = new AbortController();

    const publishing = use([proxy]).publish(examplePost(), { signal: abort.signal });
    await until(() => proxy.swallowed() > 0, { intervalMs: 5 });
    abort.abort();

    expect(await publishing).toMatchObject({ kind: 'not_sent', code: 'aborted' });
  });

  it('reaches no relay past the time to send', async () => {
    const relay = await fakeRelay();
    const instants = [sendingAt];
    const passesWhileConnecting = { now: () => instants.shift() ?? tooLate };
    const user = use([relay]);

    const before = await user.publish(examplePost(), { clock: standingClock(tooLate) });
    const during = await user.publish(examplePost(), { clock: passesWhileConnecting });

    expect(before).toMatchObject({ kind: 'not_sent', code: 'send_by_passed' });
    expect(during).toMatchObject({ kind: 'not_sent', code: 'send_by_passed' });
    expect(relay.received).toEqual([]);
  });

  it('says what to set when the address is not public', async () => {
    const relay = await fakeRelay();

    const outcome = await use([relay]).publish(examplePost(), { guard: createAddressGuard([]) });

    expect(outcome).toMatchObject({
      kind: 'failed',
      code: 'address_refused',
      blames: 'channel',
      isFinal: false,
    });
    expect(outcome).toMatchObject({ detail: expect.stringContaining('HEADWAY_ALLOW_NETWORKS') });
    expect(relay.connections()).toBe(0);
  });

  it('fails, and may be tried again, where nobody listens', async () => {
    const relay = await openFakeRelay();
    await relay.close();

    const outcome = await use([relay]).publish(examplePost());

    expect(outcome).toMatchObject({
      kind: 'failed',
      code: 'connection_refused',
      blames: 'channel',
      isFinal: false,
    });
  });
});

describe('what is there already', () => {
  it('is found by its link, also in another form, and by its publication', async () => {
    const relay = await realRelay();
    const user = use([relay]);
    await user.publish(examplePost());
    const another = '7b1f0f3e-1111-4a4a-8b8b-1c2f3e4d5b6a';

    const byLink = await user.findExisting(examplePost({ postKey: another }));
    const tracked = 'https://news.test/a/1?x=1&utm_source=feed#top';
    const byOtherForm = await user.findExisting(examplePost({ postKey: another, url: tracked }));
    const byPublication = await user.findExisting(examplePost({ url: null }));
    const notThere = await user.findExisting(examplePost({ postKey: another, url: 'https://news.test/b' }));

    const found = { kind: 'found', remoteId: relay.events()[0]?.id };
    expect(byLink).toMatchObject(found);
    expect(byOtherForm).toMatchObject(found);
    expect(byPublication).toMatchObject(found);
    expect(notThere).toEqual({ kind: 'not_found' });
  });

  it('is found by its link where that was posted with what tracks its readers', async () => {
    const relay = await realRelay();
    await use([relay]).publish(examplePost({ url: 'https://news.test/a/1?x=1&utm_source=feed' }));

    const answer = await use([relay]).findExisting(examplePost({ postKey: 'another' }));

    expect(answer.kind).toBe('found');
  });

  it.each([
    ['within the window', 7 * 86_400, {}, null, 'found'],
    ['older than the window', 7 * 86_400 + 2, {}, null, 'not_found'],
    ['not looked for', 1, { duplicates: 'off' }, null, 'not_found'],
    ['older than a person wants', 60, {}, new Date(sendingAt.getTime() - 10_000), 'not_found'],
    ['younger than a person wants', 5, {}, new Date(sendingAt.getTime() - 10_000), 'found'],
  ])('counts by its age: %s', async (_name, ageSeconds, settings, notBefore, expected) => {
    const event = {
      kind: 1,
      created_at: Math.ceil(sendingAt.getTime() / 1_000) - ageSeconds,
      tags: [['r', 'https://news.test/a/1?x=1']],
      content: '',
    };
    // It answers with what it has, whatever it is asked for.
    const relay = await fakeRelay({
      onMessage(socket, text) {
        const subscription = JSON.parse(text)[1];
        socket.send(JSON.stringify(['EVENT', subscription, finalizeEvent(event, nostrKey)]));
        socket.send(JSON.stringify(['EOSE', subscription]));
      },
    });

    const answer = await use([relay], settings).findExisting(examplePost(), { notBefore });

    expect(answer.kind).toBe(expected);
  });

  it('is not believed where a relay forges it, or has what others wrote', async () => {
    const tags = [['r', 'https://news.test/a/1?x=1']];
    const other = finalizeEvent(
      { kind: 1, created_at: 1_788_800_000, tags, content: '' },
      generateSecretKey(),
    );
    const forged = { ...other, pubkey: String(decode(nostrAccount.username).data) };
    const relay = await fakeRelay({
      onMessage(socket, text) {
        const subscription = JSON.parse(text)[1];
        for (const event of [other, forged, 'nothing'])
          socket.send(JSON.stringify(['EVENT', subscription, event]));
        socket.send(JSON.stringify(['EOSE', subscription]));
      },
    });

    const answer = await use([relay]).findExisting(examplePost());

    expect(answer).toEqual({ kind: 'not_found' });
  });

  it('takes as many relays to deny as have to take a note', async () => {
    const relay = await realRelay();
    const silent = await fakeRelay();
    const closing = await fakeRelay({
      onMessage: (socket, text) =>
        socket.send(JSON.stringify(['CLOSED', JSON.parse(text)[1], 'auth-required: no'])),
    });

    const one = await use([relay, silent]).findExisting(examplePost(), short);
    const two = await use([relay, closing, silent], { minRelays: 2 }).findExisting(examplePost(), short);

    expect(one).toEqual({ kind: 'not_found' });
    expect(two).toMatchObject({ kind: 'incomplete', detail: expect.stringContaining('auth-required: no') });
  });

  it('is found where one of the relays has it', async () => {
    const [first, second] = [await realRelay(), await realRelay()];
    await use([second]).publish(examplePost());

    const answer = await use([first, second]).findExisting(examplePost());

    expect(answer.kind).toBe('found');
  });
});

describe('check', () => {
  const eose = (socket: WebSocket, text: string) =>
    socket.send(JSON.stringify(['EOSE', JSON.parse(text)[1]]));

  it('says who signs, and that relays are reached', async () => {
    const relay = await realRelay();

    const findings = await use([relay]).check();

    expect(findings).toMatchObject([
      { subject: 'credentials', isOk: true, detail: `signs as ${nostrAccount.username}` },
      { subject: 'rights', isOk: true },
    ]);
    expect(relay.events()).toEqual([]);
  });

  it.each<[string, object, object[]]>([
    ['wants a log-in', { auth_required: true }, [{ isOk: false, detail: expect.stringContaining('NIP-42') }]],
    [
      'wants work',
      { min_pow_difficulty: 20 },
      [{ isOk: false, detail: expect.stringContaining('proof of work') }],
    ],
    [
      'wants money',
      { payment_required: true },
      [{ isOk: true, detail: expect.stringContaining('have paid') }],
    ],
    [
      'chooses',
      { restricted_writes: true },
      [{ isOk: true, detail: expect.stringContaining('some people') }],
    ],
    ['is open', { auth_required: false }, [{ isOk: true, detail: expect.stringContaining('everybody') }]],
    ['takes long notes', { max_content_length: 5_000 }, [{ isOk: true }, { subject: 'limits', isOk: true }]],
    [
      'takes short notes',
      { max_content_length: 4_999 },
      [{ isOk: true }, { subject: 'limits', isOk: false }],
    ],
    ['tells nonsense', { max_content_length: 'long' }, [{ isOk: true }]],
  ])('reads what a relay that %s says of itself', async (_name, limitation, expected) => {
    const relay = await fakeRelay({ onMessage: eose, document: { name: 'relay', limitation } });

    const [, ...findings] = await use([relay]).check();

    expect(findings).toMatchObject(expected);
    expect(findings).toHaveLength(expected.length);
  });

  it('finds a relay that is away, and one in which nothing can be looked for', async () => {
    const away = await openFakeRelay();
    await away.close();
    const closing = await fakeRelay({
      onMessage: (socket, text) =>
        socket.send(JSON.stringify(['CLOSED', JSON.parse(text)[1], 'restricted: no'])),
    });

    const findings = await use([away, closing]).check();

    expect(findings.filter(({ isOk }) => !isOk)).toMatchObject([
      { subject: 'rights', detail: expect.stringContaining('ECONNREFUSED') },
      { subject: 'visibility', detail: expect.stringContaining('duplicates: off') },
    ]);
  });
});

describe('settings', () => {
  const issues = (parsed: { success: boolean; error?: { issues: readonly { message: string }[] } }) =>
    parsed.error?.issues.map(({ message }) => message) ?? [];

  it('keeps relays in one form', () => {
    const settings = nostr.settings.parse({
      relays: ['WSS://Relay.Example:443/', 'ws://relay.example/inbox/'],
    });

    expect(settings.relays).toEqual(['wss://relay.example', 'ws://relay.example/inbox']);
  });

  it.each([
    [{ relays: [] }, 'at least one relay'],
    [{ relays: ['https://relay.example'] }, 'the address of a relay'],
    [{ relays: ['wss://relay.example/?token=1'] }, 'without a query'],
    [{ relays: ['wss://me:secret@relay.example'] }, 'without a query or a password'],
    [{ relays: ['wss://relay.example', 'wss://RELAY.example/'] }, 'twice'],
    [{ relays: Array.from({ length: 21 }, (_, index) => `wss://relay${index}.example`) }, '20 relays'],
    [{ relays: ['wss://relay.example'], minRelays: 2 }, 'not be more than there are relays'],
    [{ relays: ['wss://relay.example'], maxLength: 279 }, 'at least 280'],
    [{ relays: ['wss://relay.example'], contentWarning: ' ' }, 'must say why'],
  ])('refuses %j', (settings, words) => {
    expect(issues(nostr.settings.safeParse(settings)).join('\n')).toContain(words);
  });

  it('takes keys in either form', () => {
    const [, hexPrivateKey = ''] = nostrSecrets;
    const hexPublicKey = String(decode(nostrAccount.username).data);

    const credentials = nostr.account?.credentials.parse({
      username: hexPublicKey,
      privateKey: hexPrivateKey,
    });

    expect(credentials).toEqual({ username: nostrAccount.username, privateKey: hexPrivateKey });
  });

  it.each([
    [{ privateKey: nostrAccount.username }, 'must be a private key'],
    [{ privateKey: '0'.repeat(64) }, 'must be a private key'],
    [{ privateKey: `${nostrAccount.privateKey}x` }, 'must be a private key'],
    [{ username: nostrAccount.privateKey }, 'must be a public key'],
    [{ username: 'a'.repeat(64) }, `which is ${nostrAccount.username}`],
  ])('refuses keys that do not fit: %#', (keys, words) => {
    const parsed = nostr.account?.credentials.safeParse({ ...nostrAccount, ...keys }) ?? { success: true };

    expect(issues(parsed)).toEqual([expect.stringContaining(words)]);
    for (const secret of nostrSecrets) expect(issues(parsed).join('\n')).not.toContain(secret);
  });
});
