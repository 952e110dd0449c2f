import { type DiscordAPIError, type RateLimitError, REST } from '@discordjs/rest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenFake, openProtocolFake } from '../support/protocolFake.ts';
import { type FakeDiscord, fakeDiscord } from './discord.ts';

describe('the fake of Discord, used by discord.js', () => {
  let discord: FakeDiscord;
  let open: OpenFake;
  let rest: REST;

  async function start(options: Parameters<typeof fakeDiscord>[0] = {}) {
    discord = fakeDiscord(options);
    open = await openProtocolFake(discord);
    rest = new REST({ api: `${open.url}/api`, version: '10', retries: 0, rejectOnRateLimit: () => true });
  }

  beforeEach(() => start());
  afterEach(() => open.close());

  const route = (): `/${string}` => `/${discord.path.replace('/api/', '')}`;
  const wait = new URLSearchParams({ wait: 'true' });
  const execute = (body: unknown, query = wait) => rest.post(route(), { body, query, auth: false });
  const refused = (body: unknown) => execute(body).catch((error: DiscordAPIError) => error);

  it('takes a message and answers with it', async () => {
    const message = await execute({ content: 'Hello', allowed_mentions: { parse: [] } });

    expect(message).toMatchObject({ id: '9000', channel_id: '2001', content: 'Hello' });
    expect(discord.posts()).toEqual(['9000']);
  });

  it('keeps the same message twice', async () => {
    await execute({ content: 'Hello' });
    await execute({ content: 'Hello' });

    expect(discord.posts()).toHaveLength(2);
  });

  it('answers with nothing where nobody waits, even if it keeps nothing', async () => {
    await execute({ content: 'x'.repeat(2_001) }, new URLSearchParams());

    expect(discord.posts()).toEqual([]);
  });

  it('tells about the webhook', async () => {
    const hook = await rest.get(route(), { auth: false });

    expect(hook).toMatchObject({ name: 'News', channel_id: '2001', guild_id: '3001' });
  });

  it.each([
    [{}, 50006],
    [{ content: '  ' }, 50006],
    [{ content: 'x'.repeat(2_001) }, 50035],
    [{ content: 'x', username: 'My Discord' }, 50035],
    [{ embeds: [{ title: 'x'.repeat(257) }] }, 50035],
    [{ embeds: [{ title: 'x', image: { url: 'data:,x' } }] }, 50035],
    [{ embeds: [{ description: 'x'.repeat(4_096) }, { description: 'x'.repeat(1_905) }] }, 50035],
    [{ content: 'a badword' }, 200000],
    [{ content: 'x', thread_name: 'x' }, 220003],
  ])('refuses %o with %i', async (body, code) => {
    expect(await refused(body)).toMatchObject({ status: 400, code });
  });

  it('counts code points, without the blanks around', async () => {
    await execute({ content: ` ${'🦊'.repeat(2_000)} ` });

    expect(discord.posts()).toHaveLength(1);
  });

  it('wants a thread in a forum', async () => {
    await open.close();
    await start({ isForum: true });

    const error = await refused({ content: 'x' });
    const message = await execute({ content: 'x', thread_name: 'News' });

    expect(error).toMatchObject({ code: 220001 });
    expect(message).toMatchObject({ channel_id: '8000' });
  });

  it('knows neither a wrong token nor a webhook that was deleted', async () => {
    const wrong = await rest
      .post(`${route()}x`, { body: { content: 'x' }, auth: false })
      .catch((error: DiscordAPIError) => error);
    discord.remove();
    const gone = await refused({ content: 'x' });

    expect(wrong).toMatchObject({ status: 401, code: 50027 });
    expect(gone).toMatchObject({ status: 404, code: 10015 });
  });

  it('limits', async () => {
    discord.limit(1.25);

    const error = await execute({ content: 'x' }).catch((limit: RateLimitError) => limit);

    expect(error).toMatchObject({ name: expect.stringContaining('RateLimitError'), global: false });
    expect(discord.posts()).toEqual([]);
  });
});
