import { afterAll, beforeAll } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { describeGhost } from '../fakes/ghost/describeGhost.ts';
import { describeServer } from './support/describeServer.ts';
import { type Ghost, startGhost } from './support/startGhost.ts';

// The fake of Ghost is asked the same at every run.
describeServer('ghost', () => {
  let ghost: Ghost;

  beforeAll(async () => {
    ghost = await startGhost();
  });

  afterAll(() => ghost?.stop());

  describeGhost('a Ghost', async () => {
    const { url, adminApiKey } = ghost;
    return { url, adminApiKey, now: () => systemClock.now() };
  });
});
