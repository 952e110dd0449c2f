// Run by test/database/embeddedPostgres.test.ts: a program that lives with an embedded PostgreSQL and, told to
// end, drains with the database before it stops it.
import pg from 'pg';
import { startEmbeddedPostgres } from '../../src/database/embeddedPostgres.ts';
import { createLogger } from '../../src/logger.ts';

const [dataDir = '', mode] = process.argv.slice(2);

async function main() {
  const logger = createLogger('silent');
  const server = await startEmbeddedPostgres({ dataDir, database: 'app', logger, attach: mode === 'attach' });
  const client = new pg.Client({ connectionString: server.url });
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query('select current_user as role, current_setting($1) as folder', [
    'data_directory',
  ]);
  const drain = async () => {
    const answer = await client.query('select 1 as drained');
    print(answer.rows[0]);
    await client.end();
    await server.stop();
    process.exit(0);
  };
  process.once('SIGTERM', drain);
  process.once('SIGINT', drain);
  // Last, since the test sends its signal as soon as it reads this.
  print({ ...rows[0], url: server.url, isOwner: server.isOwner });
}

function print(line: object) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

await main();
