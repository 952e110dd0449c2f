import { z } from 'zod';
import type { AccountKind } from '../AccountKind.ts';
import { parseJson } from '../json.ts';
import { instanceUrl } from '../settingsParts.ts';
import { describe, refusalBeforePost } from './answers.ts';
import { createAsk, type GhostCredentials, type GhostSession } from './api.ts';

const dayMs = 86_400_000;

const site = z.object({ site: z.object({ title: z.string(), version: z.string(), url: z.string() }) });

/**
 * A site with the Admin API key of an integration. Each request has a token of its own, made from the key; the
 * session holds only what the site says about itself. A day later it is asked again.
 */
export const ghostAccount: AccountKind<GhostCredentials, GhostSession> = {
  credentials: z.strictObject({
    // As it stands in a browser, too.
    instance: instanceUrl.transform(url => url.replace(/\/ghost$/, '')),
    adminKey: z
      .string('must be text')
      .regex(
        /^[0-9a-f]{24}:[0-9a-f]{64}$/i,
        "must be the integration's Admin API key: an id, a colon, a secret",
      ),
  }),
  secretKeys: ['adminKey'],
  session: z.strictObject({ title: z.string(), version: z.string(), url: z.string() }),

  async openSession(credentials, _previous, { openedAt, send }) {
    const ask = createAsk(credentials, openedAt, send);
    // Anybody may ask about the site, so that tells nothing about the key.
    const listed = await ask({ method: 'GET', path: '/posts/', query: { limit: '1', fields: 'id' } });
    if (listed.phase !== 'answered' || listed.status !== 200) return refusalBeforePost(listed);
    const asked = await ask({ method: 'GET', path: '/site/' });
    if (asked.phase !== 'answered' || asked.status !== 200) return refusalBeforePost(asked);
    const said = site.safeParse(parseJson(asked.body)).data?.site;
    if (said !== undefined)
      return { kind: 'opened', session: said, expiresAt: new Date(openedAt.getTime() + dayMs) };
    const detail = `no Admin API of Ghost answers there: ${describe(asked)}`;
    return { kind: 'blocked', scope: 'account', code: 'not_found', detail, isGone: false };
  },
};
