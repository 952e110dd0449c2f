import type { ExchangeMessage } from '../../src/channels/exchangeMessage.ts';
import type { Database } from '../../src/database/Database.ts';
import { AccountSessions } from '../../src/publishing/AccountSessions.ts';
import type { Collaborators } from '../../src/publishing/ChannelCalls.ts';
import { createSecretBox } from '../../src/secrets.ts';

/** For platforms that are faked whole: no request leaves, no picture can be had, no session is kept. */
export function closedOutlet(db: Database): Collaborators {
  const secretBox = createSecretBox(Buffer.alloc(32));
  return {
    createSend: () => async () => {
      throw new Error('this remote side is not reached by requests');
    },
    createExchangeMessage: () => noMessages,
    fetchImage: async () => ({ kind: 'unavailable', detail: 'there are no pictures here' }),
    sessions: new AccountSessions({ db, secretBox, lock: async () => null }),
  };
}

/** For platforms that talk on no WebSocket. */
export const noMessages: ExchangeMessage = async () => {
  throw new Error('this remote side is not reached by messages');
};

/** What a platform that is faked whole answers where it has nothing to say. */
export const plainPlatform = {
  needsAccount: false,
  account: null,
  secretKeys: [],
  destination: () => ({ instance: '', target: '' }),
  preview: ({ text }: { text: string }) => ({ parts: [{ name: 'text', text, count: null }], notes: [] }),
} as const;
