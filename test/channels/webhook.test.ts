import { describe, expect, it } from 'vitest';
import type { OutgoingRequest, RequestResult } from '../../src/channels/sendRequest.ts';
import { webhook } from '../../src/channels/webhook.ts';
import { examplePost } from '../support/examplePost.ts';
import { noMessages } from '../support/outlet.ts';

const answered: RequestResult = { phase: 'answered', status: 200, headers: {}, body: '', retryAfter: null };
const post = examplePost();
const url = 'https://hooks.test/in';

/** What the channel would have sent. */
async function sentBy(settings: unknown, sendingAt = new Date('2026-09-07T08:30:01.999Z')) {
  const requests: OutgoingRequest[] = [];
  const send = async (request: OutgoingRequest) => {
    requests.push(request);
    return answered;
  };
  const { signal } = new AbortController();
  const context = { account: null, sendingAt, send, exchangeMessage: noMessages, signal };
  await webhook.publish(post, webhook.settings.parse(settings), context);
  const [request] = requests;
  if (request === undefined) throw new Error('nothing was sent');
  return request;
}

describe('a webhook request', () => {
  it('has the post as its body, byte for byte the same in each attempt', async () => {
    const first = await sentBy({ url });
    const second = await sentBy({ url }, new Date('2026-09-07T14:30:01.000Z'));

    expect(first).toMatchObject({ method: 'POST', url, headers: { 'content-type': 'application/json' } });
    expect(first.body).toBe(
      '{"type":"article.published","timestamp":"2026-09-07T08:30:00.000Z","data":{' +
        '"id":"0d4c5a1e-6b1f-4f6e-9a57-1c2f3e4d5b6a","title":"The queue makes headway",' +
        '"text":"The queue makes headway, one article at a time.","url":"https://news.test/a/1?x=1",' +
        '"summary":"How it does.","author":"Ada Example","tags":["release","queue"],' +
        '"imageUrl":"https://news.test/a/1.png","feed":"blog","publishedAt":"2026-09-07T07:00:00.000Z"}}',
    );
    expect(second.body).toBe(first.body);
  });

  it('keeps its id and renews its time stamp', async () => {
    const first = await sentBy({ url });
    const second = await sentBy({ url }, new Date('2026-09-07T14:30:01.000Z'));

    const id = 'msg_0d4c5a1e-6b1f-4f6e-9a57-1c2f3e4d5b6a';
    expect(first.headers).toMatchObject({ 'webhook-id': id, 'webhook-timestamp': '1788769801' });
    expect(second.headers).toMatchObject({ 'webhook-id': id, 'webhook-timestamp': '1788791401' });
  });

  it('is unsigned without a secret', async () => {
    const { headers } = await sentBy({ url });

    expect(headers).not.toHaveProperty('webhook-signature');
  });

  // Made with openssl: printf '%s' "$id.$timestamp.$body" | openssl dgst -sha256 -mac HMAC -macopt hexkey:…
  it.each([
    ['base64', 'whsec_aGVhZHdheS1leGFtcGxlLWtleQ==', 'v1,OvajVk89SGEC9NIVI940llQxMVj37RQWomd0twU+IsA='],
    ['text', 'plain text ü', 'v1,0bl+4wdPow5oagnGDhGndnv3HCfgvA1yGUk7/nVp84U='],
  ])('is signed with a secret in %s', async (_form, secret, signature) => {
    const { headers } = await sentBy({ url, secret });

    expect(headers['webhook-signature']).toBe(signature);
  });

  it('is signed with each secret during a rotation, the first one first', async () => {
    const secrets = ['whsec_aGVhZHdheS1leGFtcGxlLWtleQ==', 'plain text ü'];

    const { headers } = await sentBy({ url, secret: secrets });

    expect(headers['webhook-signature']).toBe(
      'v1,OvajVk89SGEC9NIVI940llQxMVj37RQWomd0twU+IsA= v1,0bl+4wdPow5oagnGDhGndnv3HCfgvA1yGUk7/nVp84U=',
    );
  });
});

describe('a lost answer of a webhook', () => {
  const statusUrl = 'https://hooks.test/status?of={id}';

  it.each([
    ['is sent again', { url }, 'repeat'],
    ['is left to a person where the receiver ignores ids', { url, ignoresIds: true }, 'blind'],
    ['is asked for where the receiver can be asked', { url, statusUrl, ignoresIds: true }, 'look_up'],
  ])('%s', (_, settings, kind) => {
    expect(webhook.reconciliation(webhook.settings.parse(settings)).kind).toBe(kind);
  });

  async function answerTo(result: RequestResult, settings: Record<string, unknown> = {}) {
    const requests: OutgoingRequest[] = [];
    const send = async (request: OutgoingRequest) => {
      requests.push(request);
      return result;
    };
    const reconciliation = webhook.reconciliation(webhook.settings.parse({ url, statusUrl, ...settings }));
    if (reconciliation.kind !== 'look_up') throw new Error('it cannot be asked');
    const { signal } = new AbortController();
    const askedAt = new Date('2026-09-07T08:35:00Z');
    const answer = await reconciliation.lookUp(
      { post, sendingAt: askedAt },
      { account: null, askedAt, send, exchangeMessage: noMessages, signal },
    );
    return { answer, request: requests[0] };
  }

  it('is asked for by its id, signed', async () => {
    const { request } = await answerTo(answered, { secret: 'plain text ü' });

    expect(request).toMatchObject({
      method: 'GET',
      url: 'https://hooks.test/status?of=msg_0d4c5a1e-6b1f-4f6e-9a57-1c2f3e4d5b6a',
      body: null,
      headers: {
        'webhook-id': 'msg_0d4c5a1e-6b1f-4f6e-9a57-1c2f3e4d5b6a',
        'webhook-timestamp': '1788770100',
        'webhook-signature': expect.stringMatching(/^v1,/),
      },
    });
  });

  it.each([
    [
      '{"found": true, "url": "https://there.test/1"}',
      200,
      { kind: 'found', remoteUrl: 'https://there.test/1' },
    ],
    ['{"found": true}', 200, { kind: 'found', remoteUrl: null }],
    ['{"found": false}', 200, { kind: 'not_found' }],
    ['{"found": "no"}', 200, { kind: 'incomplete' }],
    ['{}', 200, { kind: 'incomplete' }],
    ['not found', 404, { kind: 'incomplete' }],
    ['{"found": false}', 404, { kind: 'incomplete' }],
    ['{"found": false}', 203, { kind: 'incomplete' }],
    ['', 500, { kind: 'incomplete' }],
  ])('takes %s with %i only for what it says in so many words', async (body, status, expected) => {
    const { answer } = await answerTo({ ...answered, status, body });

    expect(answer).toMatchObject(expected);
  });

  it('has proved nothing when the question was not answered', async () => {
    const { answer } = await answerTo({ phase: 'sent', failure: 'connection_reset', detail: 'gone' });

    expect(answer).toEqual({ kind: 'incomplete', detail: 'gone' });
  });

  it.each([302, 303, 408, 500, 502, 503, 504])(
    'may be behind a %i where nothing may be sent twice',
    async status => {
      const { signal } = new AbortController();
      // With a Retry-After, too: proxies add that to what they have passed on.
      const retryAfter = status === 503 ? new Date(60_000) : null;
      const send = async (): Promise<RequestResult> => ({ ...answered, status, retryAfter });
      const publish = (settings: unknown) =>
        webhook.publish(post, webhook.settings.parse(settings), {
          account: null,
          sendingAt: new Date(0),
          send,
          exchangeMessage: noMessages,
          signal,
        });

      expect(await publish({ url })).toMatchObject({ kind: status === 503 ? 'throttled' : 'failed' });
      expect(await publish({ url, ignoresIds: true })).toMatchObject({ kind: 'unknown' });
      expect(await publish({ url, statusUrl })).toMatchObject({ kind: 'unknown' });
    },
  );

  it('is asked for before a send, where that can be', async () => {
    const { signal } = new AbortController();
    const send = async (): Promise<RequestResult> => ({ ...answered, body: '{"found": true}' });
    const existing = (settings: unknown) =>
      webhook.findExisting?.(post, webhook.settings.parse(settings), {
        account: null,
        notBefore: null,
        askedAt: new Date(0),
        send,
        exchangeMessage: noMessages,
        signal,
      });

    expect(await existing({ url, statusUrl })).toMatchObject({ kind: 'found' });
    expect(await existing({ url })).toEqual({ kind: 'not_found' });
  });
});

describe('webhook settings', () => {
  it.each([
    [{ url, statusUrl: 'https://hooks.test/status' }, 'statusUrl'],
    [{ url, statusUrl: 'file:///{id}' }, 'statusUrl'],
    [{ url, ignoresIds: 'yes' }, 'ignoresIds'],
    [{}, 'url'],
    [{ url: 'ftp://hooks.test/' }, 'url'],
    [{ url: 'hooks.test' }, 'url'],
    [{ url: 'https://ada:pw@hooks.test/' }, 'url'],
    [{ url, secret: '' }, 'secret'],
    [{ url, secret: [] }, 'secret'],
    [{ url, secret: 'whsec_' }, 'secret'],
    [{ url, secret: 'whsec_not base64!' }, 'secret'],
    [{ url, secret: ['good', 'whsec_abcde'] }, 'secret'],
  ])('refuse %o, naming the key and no secret', (settings, key) => {
    const parsed = webhook.settings.safeParse(settings);

    expect(parsed.error?.issues.map(({ path }) => path[0])).toEqual([key]);
    expect(JSON.stringify(parsed.error?.issues)).not.toMatch(/not base64!|abcde|:pw@/);
  });

  it('make the origin the instance and path and query the target', () => {
    const destination = webhook.destination({ url: 'HTTPS://Hooks.test:443/in?room=1#x' }, null);

    expect(destination).toEqual({ instance: 'https://hooks.test', target: '/in?room=1' });
  });
});
