import { z } from 'zod';
import { bodyOf, type Method, ok, type PdsState, refusal } from './PdsState.ts';

const maxUploadBytes = 5 * 1_024 * 1_024;

const putInput = z.object({
  repo: z.string(),
  collection: z.literal('app.bsky.feed.post'),
  rkey: z.string(),
  record: z.unknown(),
  swapRecord: z.string().nullish(),
});

/** What is posted, and read again. */
export function repoMethods(pds: PdsState): Readonly<Record<string, Method>> {
  const isReadable = (repo: string | null) => pds.isHere(repo) && pds.account === 'active';

  return {
    'com.atproto.repo.uploadBlob': request => {
      const { headers, bytes } = request;
      // It takes what has no dots for a token of another service, and stumbles.
      if (headers.authorization?.includes('.') === false) {
        return refusal(500, 'InternalServerError', 'Internal Server Error');
      }
      const refused = pds.notLetIn(request, 'access') ?? pds.notThere();
      if (refused) return refused;
      return pds.limited(['upload'], 1, () =>
        bytes.length > maxUploadBytes
          ? refusal(413, 'PayloadTooLarge', 'request entity too large')
          : ok({ blob: pds.repository.upload(bytes, headers['content-type'] ?? '*/*') }),
      );
    },

    'com.atproto.repo.putRecord': request => {
      const refused = pds.notLetIn(request, 'access');
      if (refused) return refused;
      return pds.limited(['write'], 2, () => {
        const said = putInput.safeParse(bodyOf(request));
        if (!said.success) return refusal(400, 'InvalidRequest', 'Input is not as it has to be');
        const { repo, rkey, record, swapRecord } = said.data;
        if (!pds.isHere(repo)) return refusal(403, 'AccountNotFound', 'Account not found');
        const gone = pds.notThere();
        if (gone) return gone;
        if (pds.account === 'deactivated') {
          return refusal(401, 'AccountDeactivated', 'Account is deactivated');
        }
        const put = pds.repository.put(rkey, record, swapRecord);
        if ('error' in put) return refusal(400, put.error, put.message);
        return ok({ uri: pds.uriOf(rkey), cid: put.cid, validationStatus: 'valid' });
      });
    },

    'com.atproto.repo.getRecord': (_request, search) => {
      const rkey = search.get('rkey') ?? '';
      const record = isReadable(search.get('repo')) ? pds.repository.get(rkey) : null;
      return pds.limited([], 1, () =>
        record === null
          ? refusal(400, 'RecordNotFound', `Could not locate record: ${pds.uriOf(rkey)}`)
          : ok({ uri: pds.uriOf(rkey), cid: record.cid, value: record.value }),
      );
    },

    'com.atproto.repo.listRecords': (_request, search) =>
      pds.limited([], 1, () => {
        const [repo, limit] = [search.get('repo'), Number(search.get('limit') ?? 50)];
        if (limit > 100) return refusal(500, 'InternalServerError', 'Internal Server Error');
        if (!isReadable(repo)) return refusal(400, 'InvalidRequest', `Could not find repo: ${repo}`);
        const found = pds.repository.list({ limit, before: search.get('cursor') });
        const records = found.map(({ key, cid, value }) => ({ uri: pds.uriOf(key), cid, value }));
        const last = found.at(-1)?.key;
        return ok({ records, ...(last !== undefined && { cursor: last }) });
      }),
  };
}
