import { z } from 'zod';

const service = z.object({ id: z.string(), type: z.string(), serviceEndpoint: z.string() });
const didDocument = z.object({ service: z.array(z.unknown()) });

/**
 * Where an account's data lies, by the document that a log-in answers with (https://atproto.com/specs/did):
 * bsky.social only lets people in, and each account's data is on a server of its own. Null: the answer does not
 * say, or names an address without https for an instance with it; the tokens would go there.
 */
export function pdsOf(didDoc: unknown, { instance }: { instance: string }): string | null {
  const document = didDocument.safeParse(didDoc);
  if (!document.success) return null;
  for (const each of document.data.service) {
    const { success, data } = service.safeParse(each);
    if (!success || !data.id.endsWith('#atproto_pds') || data.type !== 'AtprotoPersonalDataServer') continue;
    return isAsSafe(data.serviceEndpoint, instance) ? new URL(data.serviceEndpoint).origin : null;
  }
  return null;
}

function isAsSafe(endpoint: string, instance: string): boolean {
  if (!URL.canParse(endpoint)) return false;
  const { protocol } = new URL(endpoint);
  return protocol === 'https:' || (protocol === 'http:' && instance.startsWith('http:'));
}
