import { type Database, execute } from '../database/Database.ts';

export type AuditEntry = {
  workspaceId: number | null;
  /** Who did it: `cli`, or a person's name once there are several. */
  actor: string;
  action: string;
  subjectType: 'workspace' | 'account' | 'channel' | 'feed' | 'route' | 'route_article' | 'import';
  subjectId: number;
  detail?: Readonly<Record<string, unknown>>;
  now: Date;
};

/** Writes who changed what. Belongs into the transaction of the change itself. */
export async function recordAudit(db: Database, entry: AuditEntry): Promise<void> {
  const { workspaceId, actor, action, subjectType, subjectId, detail = {}, now } = entry;
  const values = [workspaceId, actor, action, subjectType, subjectId, JSON.stringify(detail), now];
  await execute(db, insertAudit, values);
}

const insertAudit = {
  name: 'insert-audit',
  text: `
    insert into audit_log (workspace_id, actor, action, subject_type, subject_id, detail, acted_at)
    values ($1, $2, $3, $4, $5, $6, $7)`,
};
