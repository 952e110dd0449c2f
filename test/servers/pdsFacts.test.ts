import { afterAll, beforeAll } from 'vitest';
import { describePds } from '../fakes/bluesky/describePds.ts';
import { describeServer } from './support/describeServer.ts';
import { type Pds, startPds } from './support/startPds.ts';

// The fake of Bluesky is asked the same at every run.
describeServer('pds', () => {
  let pds: Pds;
  let accounts = 0;

  beforeAll(async () => {
    pds = await startPds();
  });

  afterAll(() => pds?.stop());

  describePds('a PDS', async () => {
    accounts += 1;
    return { url: pds.url, ...(await pds.createAccount(`facts${accounts}`)) };
  });
});
