import { createHash } from 'node:crypto';

/** The md5 of a text as a uuid: the form in which unique keys are stored, a fraction of a text's index. */
export function md5Uuid(text: string): string {
  const hex = createHash('md5').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
