import type { RequestResult, SendRequest } from '../sendRequest.ts';
import type { TelegramCredentials } from './session.ts';

/**
 * Calls a method of the Bot API. The token is a part of the address, and servers and proxies quote addresses
 * in their error pages: whatever comes back is without it.
 */
export async function callMethod(
  method: 'getMe' | 'getChat' | 'getChatMember' | 'sendMessage',
  parameters: Readonly<Record<string, unknown>>,
  { credentials, send }: { credentials: TelegramCredentials; send: SendRequest },
): Promise<RequestResult> {
  const { instance, token } = credentials;
  const result = await send({
    method: 'POST',
    url: `${instance}/bot${token}/${method}`,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(parameters),
  });
  if (result.phase !== 'answered') return { ...result, detail: withoutToken(result.detail, token) };
  return { ...result, body: withoutToken(result.body, token) };
}

// What stands before the colon is the bot's id, which everybody may know.
function withoutToken(text: string, token: string): string {
  const secret = token.slice(token.indexOf(':') + 1);
  return text.replaceAll(secret, '(token)');
}
