import { Api, type GrammyError } from 'grammy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenFake, openProtocolFake } from '../support/protocolFake.ts';
import { type FakeTelegram, fakeTelegram } from './telegram.ts';

describe('the fake of Telegram, used by grammY', () => {
  let telegram: FakeTelegram;
  let open: OpenFake;
  let api: Api;

  beforeEach(async () => {
    telegram = fakeTelegram();
    open = await openProtocolFake(telegram);
    api = new Api(telegram.token, { apiRoot: open.url });
  });

  afterEach(() => open.close());

  const refused = (text: string, options = {}) =>
    api.sendMessage('@news_channel', text, options).catch((error: GrammyError) => error);

  it('says who the bot is', async () => {
    expect(await api.getMe()).toMatchObject({ id: 123456789, username: 'news_bot', is_bot: true });
  });

  it('takes a message by name or id and answers with it', async () => {
    const byName = await api.sendMessage('@News_Channel', 'a &lt; b', { parse_mode: 'HTML' });
    const byId = await api.sendMessage(-1001234567890, 'plain &lt;');

    expect(byName).toMatchObject({ message_id: 1, chat: { username: 'news_channel' } });
    expect(byId).toMatchObject({ message_id: 2 });
    expect(telegram.messages().map(({ read }) => read)).toEqual(['a < b', 'plain &lt;']);
  });

  it('keeps the same message twice', async () => {
    await api.sendMessage('@news_channel', 'x');
    await api.sendMessage('@news_channel', 'x');

    expect(telegram.posts()).toEqual(['1', '2']);
  });

  it('tells about a chat and what the bot may do in it', async () => {
    const chat = await api.getChat('@news_channel');
    const member = await api.getChatMember('@news_channel', 123456789);

    expect(chat).toMatchObject({ type: 'channel', title: 'News' });
    expect(member).toMatchObject({ status: 'administrator', can_post_messages: true });
  });

  it.each([
    ['', {}, 'Bad Request: message text is empty'],
    ['x'.repeat(4_097), {}, 'Bad Request: message is too long'],
    ['1 < 2', { parse_mode: 'HTML' }, "Bad Request: can't parse entities: Unsupported start tag"],
  ])('refuses %.10o', async (text, options, description) => {
    expect(await refused(text, options)).toMatchObject({ error_code: 400, description });
  });

  it('counts what is read, and not its markup', async () => {
    await api.sendMessage('@news_channel', `<b>${'&amp;'.repeat(4_096)}</b>`, { parse_mode: 'HTML' });

    expect(telegram.posts()).toHaveLength(1);
  });

  it.each([
    [{ status: 'kicked' as const }, 403, 'Forbidden: bot was kicked from the channel chat'],
    [{ status: 'left' as const }, 403, 'Forbidden: bot is not a member of the channel chat'],
    [{ canPost: false }, 400, 'Bad Request: need administrator rights in the channel chat'],
  ])('refuses a bot that is %o', async (change, code, description) => {
    telegram.change(-1001234567890, change);

    expect(await refused('x')).toMatchObject({ error_code: code, description });
  });

  it('says where a group has moved', async () => {
    telegram.change(-1001234567890, { movedTo: -1009 });

    expect(await refused('x')).toMatchObject({ error_code: 400, parameters: { migrate_to_chat_id: -1009 } });
  });

  it('limits, and knows no bot whose token was revoked', async () => {
    telegram.limit(7);
    const limited = await refused('x');
    telegram.revoke();
    const revoked = await refused('x');

    expect(limited).toMatchObject({ error_code: 429, parameters: { retry_after: 7 } });
    expect(revoked).toMatchObject({ error_code: 401, description: 'Unauthorized' });
  });
});
