import type { Database } from '../../../src/database/Database.ts';

type Rows = readonly Readonly<Record<string, unknown>>[];

/** Every row of every table, in an order that does not depend on how they are stored; of one workspace, or of all. */
export async function allTables(
  db: Database,
  workspaceId: number | null = null,
): Promise<Record<string, Rows>> {
  const names: string[] = await db('pg_tables')
    .where({ schemaname: 'public' })
    .whereNot('tablename', 'like', 'migrations%')
    .pluck('tablename');
  const tables = names.sort().map(async name => {
    const { rows } = await db.raw(
      `select to_jsonb(t) as row from ?? t
       where ?::bigint is null or coalesce(to_jsonb(t) ->> 'workspace_id', to_jsonb(t) ->> 'id')::bigint = ?
       order by to_jsonb(t)::text`,
      [name, workspaceId, workspaceId],
    );
    return [name, rows.map(({ row }: { row: Rows[number] }) => row)] as const;
  });
  return Object.fromEntries(await Promise.all(tables));
}
