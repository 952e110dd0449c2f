import type { PlannedChange } from './PlannedChange.ts';

const signs = { create: '+', update: '~', archive: '-', restore: '^', unchanged: ' ' } as const;
const counted = ['create', 'update', 'restore', 'archive'] as const;

/** The plan for people: a line per object that changes, one below it per field, and the sum. */
export function formatPlan(plan: readonly PlannedChange[]): string {
  const lines = plan.filter(({ action }) => action !== 'unchanged').flatMap(formatChange);
  return [...lines, sumUp(plan)].join('\n');
}

function formatChange({ action, kind, workspace, name, changes }: PlannedChange): string[] {
  const place = kind === 'workspace' ? '' : ` (${workspace})`;
  const fields = changes.map(({ field, from, to }) => {
    const change = from === null ? show(to) : `${show(from)} → ${show(to)}`;
    return `    ${field}: ${change}`;
  });
  return [`${signs[action]} ${action} ${kind} ${name}${place}`, ...fields];
}

function sumUp(plan: readonly PlannedChange[]): string {
  const counts = counted.flatMap(action => {
    const count = plan.filter(change => change.action === action).length;
    return count === 0 ? [] : [`${count} to ${action}`];
  });
  const unchanged = plan.filter(({ action }) => action === 'unchanged').length;
  if (counts.length === 0) return `Nothing to change (${unchanged} up to date).`;
  return `${counts.join(', ')}, ${unchanged} unchanged.`;
}

function show(value: unknown): string {
  if (value === null) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
