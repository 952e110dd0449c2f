import { z } from 'zod';
import type { AccountKind, SessionAnswer } from '../AccountKind.ts';
import { type Answer, describeAnswer } from '../answerOutcome.ts';
import type { NotComposed } from '../Channel.ts';
import { parseJson } from '../json.ts';
import { instanceUrl, secretText } from '../settingsParts.ts';
import { refusalBeforePost } from './answers.ts';
import {
  type Ask,
  createAsk,
  type RestRoot,
  restErrorOf,
  type WordPressCredentials,
  type WordPressSession,
} from './api.ts';

const dayMs = 86_400_000;
const capabilities = ['edit_posts', 'publish_posts', 'upload_files'];

const me = z.object({
  id: z.number().int().positive(),
  name: z.string(),
  roles: z.array(z.string()),
  capabilities: z.record(z.string(), z.unknown()),
});

/**
 * A user with an application password, which is sent with each request: the session holds who that is and where
 * the REST API was found. A day later it is looked at again, as rights change.
 */
export const wordpressAccount: AccountKind<WordPressCredentials, WordPressSession> = {
  credentials: z.strictObject({
    // As it stands in front of the API, too.
    instance: instanceUrl.transform(url => url.replace(/\/(wp-json|wp-admin)$/, '')),
    username: z.string('must be text').regex(/^[^:]+$/, 'must be the name of a user, without a colon'),
    // WordPress shows it in groups of four, and takes it with or without the blanks.
    appPassword: secretText,
  }),
  secretKeys: ['appPassword'],
  session: z.strictObject({
    root: z.enum(['wp-json', 'rest_route']),
    userId: z.number(),
    name: z.string(),
    roles: z.array(z.string()),
    capabilities: z.array(z.string()),
  }),

  async openSession(credentials, _previous, { openedAt, send }) {
    const expiresAt = new Date(openedAt.getTime() + dayMs);
    const folder = await openAt('wp-json', createAsk(credentials, 'wp-json', send));
    if (folder !== null) return folder.kind === 'opened' ? { ...folder, expiresAt } : folder;
    const page = await openAt('rest_route', createAsk(credentials, 'rest_route', send));
    if (page !== null) return page.kind === 'opened' ? { ...page, expiresAt } : page;
    const detail = 'no REST API of WordPress answers at /wp-json nor at /?rest_route=/ of the instance';
    return { kind: 'blocked', scope: 'account', code: 'not_found', detail, isGone: false };
  },
};

/** Who the user is, in the words of the REST API; null: what answers there is not one. */
async function openAt(root: RestRoot, ask: Ask): Promise<SessionAnswer<WordPressSession> | null> {
  const result = await ask({ method: 'GET', path: '/wp/v2/users/me', query: { context: 'edit' } });
  if (result.phase !== 'answered') return refusalBeforePost(result);
  if (result.status === 401) return unauthorized(result, ask);
  const error = restErrorOf(result);
  // With plain permalinks WordPress takes `/wp-json` for a page: it does not find that, or redirects to a near name.
  if (root === 'wp-json' && result.status >= 300 && result.status < 400) return null;
  if (result.status === 404 && error === null) return null;
  if (result.status >= 300) return refusalBeforePost(result);
  const user = readUser(result);
  if (user === null) return null;
  return { kind: 'opened', session: { root, ...user }, expiresAt: null };
}

/** Who is logged in, and what they may do; null: the answer does not say. */
export function readUser(answer: Answer): Omit<WordPressSession, 'root'> | null {
  const user = answer.status === 200 ? me.safeParse(parseJson(answer.body)).data : undefined;
  if (user === undefined) return null;
  const { id: userId, name, roles } = user;
  return {
    userId,
    name,
    roles,
    capabilities: capabilities.filter(right => user.capabilities[right] === true),
  };
}

const index = z.object({
  authentication: z.union([z.looseObject({ 'application-passwords': z.unknown() }), z.array(z.unknown())]),
});

/** WordPress only says that nobody is logged in: its index tells whether it takes application passwords at all. */
async function unauthorized(answer: Answer, ask: Ask): Promise<NotComposed> {
  const said = describeAnswer(answer);
  const refused = { kind: 'blocked', scope: 'account', code: 'unauthorized' } as const;
  // Not WordPress's own: something in front of it wants a password.
  if (restErrorOf(answer) === null) return { ...refused, detail: said, isGone: false };

  const result = await ask({ method: 'GET', path: '/', query: { _fields: 'authentication' } });
  const offered = result.phase === 'answered' ? index.safeParse(parseJson(result.body)).data : undefined;
  const why =
    offered !== undefined && !('application-passwords' in offered.authentication)
      ? 'the site takes no application passwords: WordPress wants HTTPS for them, and a plugin may turn them off'
      : 'check username and appPassword; some web servers drop the Authorization header';
  return { ...refused, detail: `${said} (${why})`, isGone: true };
}
