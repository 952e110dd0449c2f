import type { Database } from '../database/Database.ts';
import { transact } from '../database/transact.ts';
import { recordAudit } from '../models/auditLog.ts';
import { lockConfiguration } from '../models/configuration.ts';
import {
  listSealed,
  replaceSealed,
  type SealedPlace,
  type SealedRow,
  sealedPlaces,
} from '../models/sealedRows.ts';
import { createSecretBox, type KeyRing, type SecretBox } from '../secrets.ts';

// Killed between any two steps, everything still opens and the same again finishes the job: a new key is in the
// file before anything is sealed with it, and an old one leaves the file only when a look under the lock that
// keeps every apply out has found nothing that it sealed.

/** What a rotation came to. */
export type Rotation =
  /** Everything is sealed with the first key. `changed`: what had not been; a file holds that key alone now. */
  | { kind: 'rotated'; changed: readonly Changed[] }
  /** No key opens these secrets; nothing was changed. */
  | { kind: 'unreadable'; rows: readonly Placed[] }
  /** The setting holds one key, and everything is sealed with it already. */
  | { kind: 'one_key' };

/** A row that holds something sealed. */
export type Placed = SealedRow & { place: SealedPlace };

/** A row with what it holds now; null: nothing. Only a session is given up, since a log-in makes another. */
export type Changed = Placed & { next: Buffer | null };

type Step = Exclude<Rotation, { kind: 'one_key' }> | { kind: 'resealed'; changed: readonly Changed[] };
type Tools = { db: Database; ring: KeyRing };
type By = { actor: string; now: Date };

/**
 * Seals every secret with the first key of the ring. A ring that is kept in a file gets a new key for that, unless
 * an earlier rotation was not finished, and keeps it alone afterwards. Throws where the database or the file
 * cannot be written; run again, it goes on from there.
 */
export async function rotateKey({ db, ring }: Tools, by: By): Promise<Rotation> {
  const changed: Changed[] = [];
  for (let round = 1; round <= maxRounds; round += 1) {
    const step = await transact(db, trx => takeStep({ db: trx, ring }, { ...by, isFirst: round === 1 }));
    if (step.kind === 'unreadable') return step;
    changed.push(...step.changed);
    if (step.kind === 'resealed') continue;
    const isInVain = ring.file === null && ring.keys.length === 1 && changed.length === 0;
    return isInVain ? { kind: 'one_key' } : { kind: 'rotated', changed };
  }
  throw new Error(
    'secrets are being sealed with another key all the while, so the old key was kept: give all processes on this ' +
      'database the same keys, and run this again',
  );
}

// One for everything, one that finds nothing left; more where sessions are written meanwhile.
const maxRounds = 5;
const rowsAtOnce = 500;

/** One transaction: seals anew whatever is not sealed with the first key; nothing to do: drops the other keys. */
async function takeStep({ db, ring }: Tools, { isFirst, ...by }: By & { isFirst: boolean }): Promise<Step> {
  await lockConfiguration(db, []);
  // Another rotation may have come to its end while this one waited.
  ring.refresh();
  const rows = await listAllSealed(db);
  const box = createSecretBox(ring);
  const opened = rows.map(row => ({ ...row, plain: openOrNull(box, row) }));
  const unreadable = opened.filter(({ place, plain }) => plain === null && place !== 'sessions');
  if (unreadable.length > 0) return { kind: 'unreadable', rows: unreadable };

  const { file, keys } = ring;
  if (isFirst && file && keys.length === 1) await file.replace([file.createKey(), ...keys]);
  const [newest] = ring.keys;
  const newestBox = createSecretBox(newest);
  const stale = opened
    .filter(row => openOrNull(newestBox, row) === null)
    .map(({ plain, ...row }) => ({ ...row, next: plain === null ? null : newestBox.seal(plain, row.place) }));
  if (stale.length > 0)
    return { kind: 'resealed', changed: await write(db, stale, by, file ? 'file' : 'setting') };

  if (file && ring.keys.length > 1) await file.replace([newest]);
  return { kind: 'rotated', changed: [] };
}

async function listAllSealed(db: Database): Promise<Placed[]> {
  const rows: Placed[] = [];
  for (const place of sealedPlaces) {
    for (const row of await listSealed(db, place)) rows.push({ ...row, place });
  }
  return rows;
}

function openOrNull(box: SecretBox, { place, sealed }: Placed): string | null {
  try {
    return box.open(sealed, place);
  } catch {
    return null;
  }
}

async function write(
  db: Database,
  stale: readonly Changed[],
  { actor, now }: By,
  source: 'file' | 'setting',
): Promise<Changed[]> {
  const written: Changed[] = [];
  for (const place of sealedPlaces) {
    const rows = stale.filter(row => row.place === place);
    for (let from = 0; from < rows.length; from += rowsAtOnce) {
      written.push(...(await replaceSealed(db, place, rows.slice(from, from + rowsAtOnce))));
    }
  }
  for (const [workspaceId, rows] of byWorkspace(written)) {
    const subject = { workspaceId, subjectType: 'workspace', subjectId: workspaceId } as const;
    const detail = {
      source,
      ...countResealed(rows),
      clearedSessions: clearedSessions(rows).map(row => row.name),
    };
    await recordAudit(db, { ...subject, actor, action: 'rotate_key', detail, now });
  }
  return written;
}

function byWorkspace(rows: readonly Changed[]): Map<number, Changed[]> {
  const groups = new Map<number, Changed[]>();
  for (const row of rows) {
    const group = groups.get(row.workspaceId);
    if (group) group.push(row);
    else groups.set(row.workspaceId, [row]);
  }
  return groups;
}

/** How many rows of each place were sealed anew. */
export function countResealed(rows: readonly Changed[]): Record<SealedPlace, number> {
  const count = (place: SealedPlace) => rows.filter(row => row.place === place && row.next !== null).length;
  return { accounts: count('accounts'), channels: count('channels'), sessions: count('sessions') };
}

/** The accounts whose session no key opened, so that it was given up. */
export function clearedSessions(rows: readonly Changed[]): readonly Changed[] {
  return rows.filter(({ next }) => next === null);
}
