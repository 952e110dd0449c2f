import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../src/database/Database.ts';
import { startEmbeddedPostgres } from '../src/database/embeddedPostgres.ts';
import { migrate } from '../src/database/migrate.ts';
import { createLogger } from '../src/logger.ts';
import { withAdmin } from './support/admin.ts';
import './support/provided.ts';
import { startRedis } from './support/startRedis.ts';

const logger = createLogger('error');
// Nothing here has to survive a crash of the machine.
const throwAwayData = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '200',
};

/**
 * Starts what the tests share: one PostgreSQL (TEST_DATABASE_URL names another one, 15 or newer, where the
 * role may create databases) with a migrated template database, and a Redis where the machine has one.
 */
export default async function globalSetup(project: TestProject) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headway-test-'));
  fs.chmodSync(folder, 0o755);
  const server = await startServer(folder);
  const redis = await startRedis();
  const template = `headway_template_${process.pid}`;
  await createTemplate(server.url, template);

  project.provide('databaseAdminUrl', server.url);
  project.provide('databaseTemplate', template);
  project.provide('redisUrl', redis?.url ?? null);

  return async () => {
    await withAdmin(server.url, admin => admin.query(`drop database if exists ${template} with (force)`));
    await redis?.stop();
    await server.stop();
    fs.rmSync(folder, { recursive: true, force: true });
  };
}

async function startServer(dataDir: string): Promise<{ url: string; stop(): Promise<void> }> {
  const url = process.env.TEST_DATABASE_URL;
  if (url !== undefined && url !== '') return { url, stop: async () => undefined };
  return startEmbeddedPostgres({ dataDir, database: 'postgres', logger, serverSettings: throwAwayData });
}

async function createTemplate(adminUrl: string, template: string): Promise<void> {
  await withAdmin(adminUrl, admin => admin.query(`create database ${template}`));
  const url = new URL(adminUrl);
  url.pathname = `/${template}`;
  const db = openDatabase(url.href);
  try {
    await migrate(db, logger);
  } finally {
    // A template with a connection to it cannot be cloned.
    await db.destroy();
  }
}
