import type { Database } from '../database/Database.ts';
import { recordAudit } from '../models/auditLog.ts';
import { print, printJson } from './output.ts';
import type { CommandContext } from './withApp.ts';

export type Switch = {
  action: 'pause' | 'resume';
  subject: { type: 'channel' | 'feed'; id: number; name: string };
  workspaceId: number;
  /** Makes the change; whether there was one. */
  turn: (db: Database) => Promise<boolean>;
};

/** Pauses or resumes something, with its audit row, and says so. Pressed twice equals once. */
export async function turnSwitch(
  { app, clock }: CommandContext,
  { action, subject, workspaceId, turn }: Switch,
  { json }: { json?: boolean },
): Promise<void> {
  const { type: subjectType, id: subjectId, name } = subject;
  const changed = await app.db.transaction(async trx => {
    const isChanged = await turn(trx);
    const entry = { workspaceId, actor: 'cli', action, subjectType, subjectId, now: clock.now() };
    if (isChanged) await recordAudit(trx, entry);
    return isChanged;
  });
  const state = `${action}d`;
  if (json) printJson({ [subjectType]: name, state, changed });
  else
    print(
      changed ? `The ${subjectType} ${name} was ${state}.` : `The ${subjectType} ${name} was so already.`,
    );
}
