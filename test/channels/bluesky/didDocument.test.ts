import { expect, it } from 'vitest';
import { pdsOf } from '../../../src/channels/bluesky/didDocument.ts';

const documentAt = (serviceEndpoint: string) => ({
  service: [{ id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint }],
});

it('never leads from https to a server without it', () => {
  const instance = 'https://bsky.social';

  expect(pdsOf(documentAt('http://pds.example'), { instance })).toBeNull();
  expect(pdsOf(documentAt('https://pds.example'), { instance })).toBe('https://pds.example');
});
