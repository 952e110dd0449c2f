import { defineConfig } from 'vitest/config';

const faults = 'test/faults/**/*.test.ts';
const servers = 'test/servers/**/*.test.ts';
const common = { pool: 'forks', maxWorkers: 2 } as const;

// The faults are a project of their own: each takes seconds, and real processes die in it. So are the tests
// against other people's servers, which have to be installed: npm run test:servers.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...common,
          name: 'main',
          include: ['test/**/*.test.ts'],
          exclude: [faults, servers],
          globalSetup: ['test/globalSetup.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          ...common,
          name: 'faults',
          include: [faults],
          globalSetup: ['test/globalSetup.ts', 'test/faults/globalSetup.ts'],
          testTimeout: process.env.FAULTS_REAL_TIME === '1' ? 900_000 : 90_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          ...common,
          name: 'servers',
          include: [servers],
          globalSetup: ['test/globalSetup.ts', 'test/servers/globalSetup.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
