import { decode, npubEncode, nsecEncode } from 'nostr-tools/nip19';
import { generateSecretKey, getPublicKey, verifyEvent } from 'nostr-tools/pure';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { listNotes } from './support/listNotes.ts';
import { openPictureServer } from './support/openPictureServer.ts';
import { openServerScene, type ServerScene, triedIn } from './support/openServerScene.ts';
import { type Relay, startNostrRelay } from './support/startNostrRelay.ts';

describe('publishing to nostr relays', () => {
  const database = useDatabase();
  let scene: ServerScene;
  let relay: Relay;
  let other: Relay;
  let key: Uint8Array;

  beforeEach(async () => {
    [relay, other] = await Promise.all([startNostrRelay(), startNostrRelay()]);
    scene = openServerScene(database.db);
    key = generateSecretKey();
  });

  afterEach(() => Promise.all([relay.stop(), other.stop()]));

  const apply = (settings: object = {}) => {
    const account = { username: npubEncode(getPublicKey(key)), privateKey: nsecEncode(key) };
    const relays = [relay.url, other.url];
    return scene.apply({ platform: 'nostr', account, settings: { relays, ...settings } });
  };
  const notesOn = ({ url }: Relay) => listNotes(url, getPublicKey(key));

  it('shows a note as its preview does, to whoever asks any of the relays', async () => {
    const picture = await openPictureServer();
    await apply({ contentWarning: 'News' });
    const url = 'https://news.test/ü/1?utm_source=feed&a=1';
    const tags = ['Größe', 'machine learning'];
    const title = 'Für „Zwölf“ 👩‍👩‍👧 & <mehr> \u2028\t“\\" #jetzt';
    await scene.article({ title, url, tags, imageUrl: picture.url, imageAlt: 'A queue\nthat moves' });

    const tried = triedIn(await scene.tick());
    const preview = await scene.preview();
    const [note, ...others] = await notesOn(relay);
    await picture.close();

    expect(tried).toEqual(['published']);
    expect(others).toEqual([]);
    expect(await notesOn(other)).toEqual([note]);
    expect(note && verifyEvent(note)).toBe(true);
    expect(note).toMatchObject({ kind: 1, content: preview.parts[0]?.text });
    expect(note?.tags).toEqual([
      ['d', expect.any(String)],
      ['r', url],
      ['r', 'https://news.test/%C3%BC/1?a=1'],
      ['t', 'jetzt'],
      ['t', 'größe'],
      ['t', 'machinelearning'],
      ['imeta', `url ${picture.url}`, 'm image/png', 'alt A queue that moves'],
      ['content-warning', 'News'],
    ]);
    const [queued] = await scene.queue();
    const shared = decode(queued?.remoteUrl?.replace('https://njump.me/', '') ?? '');
    expect(shared).toMatchObject({ type: 'nevent', data: { id: note?.id, relays: [relay.url, other.url] } });
  });

  it('skips a link that it has posted, and one that only a relay knows for the same', async () => {
    const url = 'https://news.test/a?b=1';
    await apply();
    await scene.article({ url });
    await scene.tick();

    await scene.article({ url });
    await scene.article({ url: `${url}&utm_source=feed` });
    const tried = await scene.nextTick();

    expect(tried).toEqual(['skipped duplicate', 'skipped already_there']);
    expect(await notesOn(relay)).toHaveLength(1);
  });

  it('is one note when it is sent once more as it was composed', async () => {
    await apply();
    await scene.article();
    await scene.tick();

    const outcome = await scene.send(await scene.sent());

    const [note, ...others] = await notesOn(relay);
    expect(outcome).toMatchObject({ kind: 'succeeded', remoteId: note?.id });
    expect(others).toEqual([]);
  });

  it('has one note on each relay when all answers are lost, and repeats it at a later tick', async () => {
    await apply();
    await scene.article();
    for (const each of [relay, other]) each.loseAnswers();

    const lost = triedIn(await scene.tick());
    const whileUnknown = await scene.queue();
    for (const each of [relay, other]) each.accept();
    const repeated = await scene.nextTick();

    const [note, ...others] = await notesOn(relay);
    expect(lost).toEqual(['unknown connection_reset']);
    expect(whileUnknown).toMatchObject([{ status: 'unknown', remoteUrl: null }]);
    expect(repeated).toEqual(['published']);
    expect(others).toEqual([]);
    expect(await notesOn(other)).toEqual([note]);
    expect(await scene.queue()).toMatchObject([{ status: 'published', remoteId: note?.id }]);
  });

  it('is published where enough relays take it, whatever the others say', async () => {
    await apply({ minRelays: 1, duplicates: 'off' });
    other.refuse('blocked: not here');
    await scene.article();

    const tried = triedIn(await scene.tick());

    expect(tried).toEqual(['published']);
    expect(await notesOn(relay)).toHaveLength(1);
    expect(await notesOn(other)).toEqual([]);
  });

  it('sends the same note until enough relays have it', async () => {
    await apply({ minRelays: 2 });
    other.refuse('rate-limited: slow down');
    await scene.article();

    const first = triedIn(await scene.tick());
    const [taken] = await notesOn(relay);
    other.accept();
    const second = await scene.nextTick();

    expect([first, second]).toEqual([['unknown rate_limited'], ['published']]);
    expect(await notesOn(relay)).toEqual([taken]);
    expect(await notesOn(other)).toEqual([taken]);
  });

  it.each([
    ['blocked: not on the list', 'blocked forbidden'],
    ['auth-required: who are you?', 'blocked unauthorized'],
    ['rate-limited: slow down', 'throttled rate_limited'],
  ])('waits without an attempt where every relay says %s', async (words, expected) => {
    await apply();
    for (const each of [relay, other]) each.refuse(words);
    await scene.article();

    const refused = triedIn(await scene.tick());
    const whileRefused = await scene.queue();
    for (const each of [relay, other]) each.accept();
    const later = await scene.nextTick();

    expect(refused).toEqual([expected]);
    expect(whileRefused).toMatchObject([{ status: 'pending', attempts: 0 }]);
    expect(later).toEqual(['published']);
    expect(await notesOn(relay)).toHaveLength(1);
  });

  it('finds all well by a check, and a relay that is gone', async () => {
    await apply();

    const findings = await scene.check();
    await other.stop();
    const without = await scene.check();
    other = await startNostrRelay();

    expect(findings.filter(({ isOk }) => !isOk)).toEqual([]);
    expect(without.filter(({ isOk }) => !isOk)).toMatchObject([
      { subject: 'rights', detail: expect.stringContaining('ECONNREFUSED') },
    ]);
  });
});
