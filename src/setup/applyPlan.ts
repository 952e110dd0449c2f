import type { Database } from '../database/Database.ts';
import { liftAccountHolds } from '../models/accountConfiguration.ts';
import { recordAudit } from '../models/auditLog.ts';
import { clearChannelNames } from '../models/channelConfiguration.ts';
import { lockConfiguration } from '../models/configuration.ts';
import type { SecretBox } from '../secrets.ts';
import type { PlannedChange } from './PlannedChange.ts';
import { planChanges } from './planChanges.ts';
import { readStoredSetup } from './readStoredSetup.ts';
import type { Setup } from './Setup.ts';
import { type Ids, writeChange } from './writeChange.ts';

/** What `applyPlan` would do, without doing it: `--dry-run`. */
export async function previewPlan(
  db: Database,
  desired: Setup,
  { box, reseal = false }: { box: SecretBox; reseal?: boolean },
): Promise<PlannedChange[]> {
  return planChanges(desired, await readStoredSetup(db, box, namesOf(desired), { skipUnreadable: reseal }));
}

/**
 * Makes the database what the file says, in one transaction: all of it or, where anything throws, nothing. Two at
 * once follow one another. Returns what it did; the same file again changes nothing.
 */
export async function applyPlan(
  db: Database,
  desired: Setup,
  { box, reseal = false, now, actor }: ApplyOptions,
): Promise<PlannedChange[]> {
  return db.transaction(async transaction => {
    await lockConfiguration(transaction, namesOf(desired));
    const stored = await readStoredSetup(transaction, box, namesOf(desired), { skipUnreadable: reseal });
    const plan = planChanges(desired, stored);
    const ids: Ids = new Map();
    const renamed = plan.filter(({ kind, changes }) => kind === 'channel' && changes.some(isRename));
    await clearChannelNames(
      transaction,
      renamed.flatMap(({ id }) => id ?? []),
    );

    for (const change of plan) {
      const row = await writeChange(transaction, change, { desired, stored, ids, box, now });
      if (change.action === 'unchanged') continue;
      const { action, kind, name, changes } = change;
      const detail = { name, changes };
      const subject = { workspaceId: row.workspaceId, subjectType: kind, subjectId: row.id };
      await recordAudit(transaction, { ...subject, actor, action, detail, now });
    }
    await liftHolds(transaction, ids, { actor, now });
    return plan;
  });
}

export type ApplyOptions = {
  box: SecretBox;
  /** The key was lost: secrets that cannot be opened are stated anew instead of refused. */
  reseal?: boolean;
  now: Date;
  actor: string;
};

async function liftHolds(
  db: Database,
  ids: Ids,
  { actor, now }: { actor: string; now: Date },
): Promise<void> {
  const workspaceIds = [...ids].flatMap(([key, id]) => (key.startsWith('workspace:') ? id : []));
  for (const { id, workspaceId } of await liftAccountHolds(db, workspaceIds)) {
    const subject = { workspaceId, subjectType: 'channel', subjectId: id } as const;
    await recordAudit(db, { ...subject, actor, action: 'lift_hold', detail: { reason: 'no_account' }, now });
  }
}

function isRename({ field, from }: PlannedChange['changes'][number]): boolean {
  return field === 'name' && from !== null;
}

function namesOf({ workspaces }: Setup): string[] {
  return workspaces.map(({ name }) => name);
}
