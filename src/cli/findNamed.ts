import { didYouMean } from '../didYouMean.ts';
import { failed } from './CliError.ts';

/** The one of that name. Throws a `CliError` (exit 1) that names those that there are. */
export function findNamed<Named extends { name: string }>(
  kind: 'account' | 'channel' | 'feed',
  name: string,
  candidates: readonly Named[],
): Named {
  const found = candidates.find(candidate => candidate.name === name);
  if (found) return found;
  const names = candidates.map(candidate => candidate.name);
  if (names.length === 0) throw failed(`There is no ${kind} "${name}": this workspace has none.`);
  throw failed(`There is no ${kind} "${name}"${didYouMean(name, names)}, only: ${names.join(', ')}`);
}
