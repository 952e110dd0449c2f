import { md5Uuid } from './md5Uuid.ts';

/** The hash of what a person approves: whoever changes one of the three writes it in the same UPDATE. */
export function textHash({ title, text, url }: { title: string; text: string; url: string | null }): string {
  return md5Uuid(JSON.stringify([title, text, url]));
}
