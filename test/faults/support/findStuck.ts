import { groupBy } from './groupBy.ts';
import type { History, WorkspaceRow } from './history.ts';

const ticksOfPatience = 3;
const patienceMs = 2_000;

/**
 * What of a history breaks I2 or I6 at this moment, one sentence each. A consumer that has just started may
 * mend it: only what stays is a violation.
 */
export function findStuck(history: History): string[] {
  const ofWorkspace = byWorkspace(history);
  return history.workspaces.flatMap(workspace => {
    const part = ofWorkspace(workspace);
    return [...orphans(workspace, part), ...withoutTurn(workspace, part)];
  });
}

/** What of a history belongs to one workspace: long ones are divided once, not searched for each. */
function byWorkspace(history: History): (workspace: WorkspaceRow) => History {
  const workspaceOf = new Map(history.routeArticles.map(row => [row.id, row.workspaceId]));
  const routeArticles = groupBy(history.routeArticles, row => row.workspaceId);
  const publications = groupBy(history.publications, row => row.workspaceId);
  const attempts = groupBy(history.attempts, row => workspaceOf.get(row.routeArticleId));
  return ({ id }) => ({
    ...history,
    routeArticles: routeArticles.get(id) ?? [],
    publications: publications.get(id) ?? [],
    attempts: attempts.get(id) ?? [],
  });
}

function orphans({ isLocked }: WorkspaceRow, { routeArticles, publications }: History): string[] {
  if (isLocked) return [];
  const claimed = routeArticles.filter(row => row.publishStatus === 'publishing');
  const sending = publications.filter(row => row.state === 'sending');
  return [
    ...claimed.map(row => `I2: route article ${row.id} is in flight, and no living consumer has it`),
    ...sending.map(row => `I2: publication ${row.id} is in flight, and no living consumer has it`),
  ];
}

// Where something only waits for its turn every tick gets on, by a publication or by a try that ended. What
// waits for anything else says so.
function withoutTurn({ id, tickIntervalMs }: WorkspaceRow, history: History): string[] {
  const waiting = history.routeArticles.filter(
    row => history.explanations.get(row.id)?.reason === 'waiting_turn',
  );
  const [first] = waiting;
  if (!first) return [];
  const lastMs = lastProgressMs(history);
  const stoodStillMs = history.readAt.getTime() - lastMs;
  if (stoodStillMs <= ticksOfPatience * tickIntervalMs + patienceMs) return [];
  return [
    `I6: ${waiting.length} articles of workspace ${id} (${first.id} …) wait for their turn, and nothing moves`,
  ];
}

function lastProgressMs({ publications, attempts }: History): number {
  const tried = attempts.map(row => row.attemptedAt.getTime());
  const sent = publications.map(row => row.countedAt.getTime());
  return Math.max(0, ...tried, ...sent);
}
