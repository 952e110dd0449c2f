import pg from 'pg';

/** Asks the shared server something over a connection of its own. */
export async function withAdmin<Result>(
  url: string,
  ask: (admin: pg.Client) => Promise<Result>,
): Promise<Result> {
  const admin = new pg.Client({ connectionString: url, application_name: 'headway tests' });
  await admin.connect();
  try {
    return await ask(admin);
  } finally {
    await admin.end();
  }
}
