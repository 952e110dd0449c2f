import { type Database, execute } from '../database/Database.ts';

// What people do to route articles: each one conditional UPDATE. Once sending_at is stamped on a
// publishing row it is too late; before that, the gate honours what was changed and gives back. A repeat has
// been sent before, whatever its claim says.
/** Of a row: the publisher has not handed it to the outside world yet, as far as its claim tells. */
export const notYetSending = `publish_status <> 'publishing' or (sending_at is null and claimed_from <> 'unknown')`;
const changeable = `publish_status in ('pending', 'failed', 'dead', 'skipped', 'publishing') and (${notYetSending})`;

/** Approves, rejects or returns to the inbox. True when that changed the row. */
export async function setApproval(
  db: Database,
  { id, approval, now }: { id: number; approval: 'approved' | 'rejected'; now: Date },
): Promise<boolean> {
  return (await execute(db, updateApproval, [id, approval, now])) > 0;
}

const updateApproval = {
  name: 'set-approval',
  text: `
    update route_articles
    set approval_status = $2, approval_reason = null, approval_detail = null, updated_at = $3
    where id = $1 and approval_status <> $2 and ${changeable}`,
};

/** Replaces what is to go out, text and hash in one. True when that changed the row. */
export async function setText(
  db: Database,
  edit: { id: number; title: string; text: string; textHash: string; now: Date },
): Promise<boolean> {
  const { id, title, text, textHash, now } = edit;
  return (await execute(db, updateText, [id, title, text, textHash, now])) > 0;
}

const updateText = {
  name: 'set-text',
  text: `
    update route_articles set title = $2, text = $3, text_hash = $4, is_edited = true, updated_at = $5
    where id = $1 and text_hash <> $4 and ${changeable}`,
};

/** Ends a row that waits, for good. A row that is only claimed is given back by its gate and then skipped. */
export async function skipByPerson(db: Database, { id, now }: { id: number; now: Date }): Promise<boolean> {
  return (await execute(db, updateSkipped, [id, now])) > 0;
}

// Of a claimed row the token goes: its holder's next write matches nothing.
const updateSkipped = {
  name: 'skip-by-person',
  text: `
    update route_articles
    set publish_status = 'skipped', skip_reason = 'by_person', publish_attempts = 4, next_attempt_at = null,
        claim_token = null, claimed_at = null, claimed_from = null, claimed_wait = null, updated_at = $2
    where id = $1 and publish_status in ('pending', 'failed', 'dead', 'publishing') and (${notYetSending})`,
};

/** Changes the priority: higher goes first. True when that changed the row. */
export async function setPriority(
  db: Database,
  { id, priority, now }: { id: number; priority: number; now: Date },
): Promise<boolean> {
  return (await execute(db, updatePriority, [id, priority, now])) > 0;
}

const updatePriority = {
  name: 'set-priority',
  text: `
    update route_articles set priority = $2, updated_at = $3
    where id = $1 and priority <> $2 and ${changeable}`,
};

/** Within so long a second press is the first one, though a tick came between them. */
const againWithin = `interval '10 minutes'`;

/**
 * Published back to pending, as the next generation: a publication of its own, with a post key of its own.
 * True when that changed the row; it does not within ten minutes after the last time.
 */
export async function publishAgain(
  db: Database,
  { id, postKey, now }: { id: number; postKey: string; now: Date },
): Promise<boolean> {
  return (await execute(db, updateAgain, [id, postKey, now])) > 0;
}

const updateAgain = {
  name: 'publish-again',
  text: `
    update route_articles
    set publish_status = 'pending', publish_attempts = 0, generation = generation + 1, post_key = $2,
        post_created_at = $3, sending_at = null, lookups = 0, updated_at = $3
    where id = $1 and publish_status = 'published'
      and (generation = 1 or post_created_at < $3::timestamptz - ${againWithin})`,
};

/** Failed or dead back to pending, attempts 0, no wait; the history stays in `attempts`. */
export async function retryByPerson(db: Database, { id, now }: { id: number; now: Date }): Promise<boolean> {
  return (await execute(db, updateRetried, [id, now])) > 0;
}

const updateRetried = {
  name: 'retry-by-person',
  text: `
    update route_articles
    set publish_status = 'pending', publish_attempts = 0, next_attempt_at = null,
        last_error_code = null, last_error = null, updated_at = $2
    where id = $1 and publish_status in ('failed', 'dead')`,
};
