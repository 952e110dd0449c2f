import { z } from 'zod';
import { bodyOf, type Method, ok, type PdsState, refusal, takenDown } from './PdsState.ts';

const logIn = z.object({ identifier: z.string(), password: z.string() });

/** Who is let in. `didDoc`: what a log-in says about where the account's data lies. */
export function sessionMethods(pds: PdsState, didDoc: unknown): Readonly<Record<string, Method>> {
  const described = () => ({
    did: pds.did,
    handle: pds.handle,
    email: 'news@pds.test',
    emailConfirmed: false,
    active: pds.account === 'active',
    ...(pds.account !== 'active' && { status: pds.account }),
  });
  const session = (scope: 'com.atproto.appPass' | 'com.atproto.access') => ({
    accessJwt: pds.tokens.issue(scope, pds.did),
    refreshJwt: pds.tokens.issue('com.atproto.refresh', pds.did),
    ...(didDoc !== undefined && { didDoc }),
    ...described(),
  });
  const noUser = () => refusal(400, 'InvalidRequest', `Could not find user info for account: ${pds.did}`);

  return {
    'com.atproto.server.createSession': request =>
      pds.limited(['logIn'], 1, () => {
        const said = logIn.safeParse(bodyOf(request));
        if (!said.success) return refusal(400, 'InvalidRequest', 'Missing required key "password" at $');
        const { identifier, password } = said.data;
        const isKnown = pds.isHere(identifier.toLowerCase()) && pds.account !== 'deleted';
        const isOwn = password === pds.password;
        const isByApp = password === pds.appPassword && !pds.isAppPasswordRevoked;
        const isTakenDown = pds.account === 'takendown';
        // To an app password it does not say that the account was taken down.
        if (!isKnown || !(isOwn || (isByApp && !isTakenDown))) {
          return refusal(401, 'AuthenticationRequired', 'Invalid identifier or password');
        }
        if (isTakenDown) return takenDown();
        pds.logIns += 1;
        return ok(session(isOwn ? 'com.atproto.access' : 'com.atproto.appPass'));
      }),

    'com.atproto.server.refreshSession': request => {
      const refused = pds.notLetIn(request, 'refresh');
      if (refused) return refused;
      return pds.limited([], 1, () => {
        if (pds.account === 'deleted') return noUser();
        if (pds.account === 'takendown') return takenDown();
        pds.refreshes += 1;
        return ok(session('com.atproto.appPass'));
      });
    },

    'com.atproto.server.getSession': request => {
      const refused = pds.notLetIn(request, 'access');
      if (refused) return refused;
      return pds.limited([], 1, () => (pds.notThere() ? noUser() : ok(described())));
    },
  };
}
