import { z } from 'zod';
import { outcomeWithoutAnswer } from './answerOutcome.ts';
import type { AccountAccess, Channel } from './Channel.ts';
import { type ImageChoice, image } from './settingsParts.ts';
import { callMethod } from './telegram/callMethod.ts';
import { checkChat } from './telegram/checkChat.ts';
import { cardPreview, maxChars, messageOf, type TelegramMessage, withPicture } from './telegram/message.ts';
import { outcomeOf } from './telegram/outcomeOf.ts';
import {
  publicInstance,
  type TelegramCredentials,
  type TelegramSession,
  telegramAccount,
} from './telegram/session.ts';

export type TelegramSettings = {
  /** `@channelname`, or the numeric id of a chat. */
  target: string;
  /** Nobody's device makes a sound. */
  silent: boolean;
  /** Telegram shows a card of what the link leads to. */
  preview: boolean;
  image: ImageChoice;
};

type TelegramAccess = AccountAccess<TelegramCredentials, TelegramSession>;

const settings = z
  .strictObject({
    target: z
      .union([z.string(), z.int()], 'must be @channelname or a numeric chat id')
      .transform(String)
      .refine(
        target => /^(@[A-Za-z]\w{3,31}|-?[1-9]\d{0,15})$/.test(target),
        'must be @channelname or a numeric chat id',
      ),
    silent: z.boolean('must be true or false').default(false),
    preview: z.boolean('must be true or false').default(true),
    image: image.default('off'),
  })
  .refine(({ preview, image }) => preview || image === 'off', {
    path: ['image'],
    message: 'must be off where preview is false: the picture is shown in the preview',
  });

/**
 * A chat or channel, by a bot (https://core.telegram.org/bots/api). A bot cannot list what is there, and there
 * is no key by which a repeat would be dropped: a lost answer is left to a person.
 */
export const telegram: Channel<TelegramSettings, TelegramMessage, TelegramAccess> = {
  platform: 'telegram',
  needsAccount: true,
  account: telegramAccount,
  settings,
  secretKeys: [],

  // Names of channels are the same in any case.
  destination: ({ target }, account) => ({
    instance: account?.instance || publicInstance,
    target: target.toLowerCase(),
  }),

  reconciliation: () => ({ kind: 'blind' }),

  preview(post, settings) {
    const answer = messageOf(post);
    const shown = answer.kind === 'composed' ? answer.shown : '';
    const count = { length: shown.length, limit: maxChars, unit: 'characters' };
    const text = { name: 'text', text: shown, count };
    if (answer.kind !== 'composed') return { parts: [text], notes: [answer.detail] };
    const { imageUrl } = post;
    const hasPicture = settings.image !== 'off' && imageUrl !== null;
    const picture = hasPicture ? [{ name: 'picture', text: imageUrl, count: null }] : [];
    return { parts: [text, ...picture], notes: answer.notes };
  },

  check: ({ target }, { account, send }) => checkChat(target, account, send),

  async compose(post, { preview, image }, { fetchImage }) {
    const answer = messageOf(post);
    if (answer.kind !== 'composed') return answer;
    const { text, notes } = answer;
    const message = { text, ...cardPreview(post, preview) };
    if (image === 'off') return { kind: 'composed', composed: message, notes };
    return withPicture(message, { post, isRequired: image === 'required', notes, fetchImage });
  },

  async publish({ composed }, { target, silent }, { account, send, sendingAt }) {
    const parameters = {
      chat_id: target,
      text: composed.text,
      parse_mode: 'HTML',
      disable_notification: silent,
      ...(composed.linkPreview !== undefined && { link_preview_options: composed.linkPreview }),
    };
    const result = await callMethod('sendMessage', parameters, { credentials: account.credentials, send });
    if (result.phase !== 'answered') return outcomeWithoutAnswer(result);
    return outcomeOf(result, sendingAt);
  },
};
