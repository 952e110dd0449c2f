import type { ReceivedRequest } from '../../support/fakeReceiver.ts';

export type Role = 'editor' | 'author' | 'contributor' | 'subscriber';
export type User = { id: number; name: string; role: Role; password: string };
/** As WordPress shows them; it takes them without the blanks too. */
export const wordpressPasswords = { editor: 'EdIt abcd EFGH ijkl', contributor: 'CoNt abcd EFGH ijkl' };

/** What each role may do, as far as it matters here. */
export const rights: Readonly<Record<Role, readonly string[]>> = {
  editor: ['edit_posts', 'edit_others_posts', 'publish_posts', 'upload_files', 'read'],
  author: ['edit_posts', 'publish_posts', 'upload_files', 'read'],
  contributor: ['edit_posts', 'read'],
  subscriber: ['read'],
};
/** One user of each role. */
export function siteUsers(): User[] {
  return [
    { id: 2, name: 'editor', role: 'editor', password: wordpressPasswords.editor },
    { id: 3, name: 'contributor', role: 'contributor', password: wordpressPasswords.contributor },
    { id: 4, name: 'author', role: 'author', password: 'AuTh abcd EFGH ijkl' },
    { id: 5, name: 'subscriber', role: 'subscriber', password: 'SuBs abcd EFGH ijkl' },
  ];
}

/** Whose name and application password a request has; null: nobody's. */
export function userOf({ headers }: ReceivedRequest, users: readonly User[]): User | null {
  const token = /^Basic (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
  const [name, ...password] = Buffer.from(token, 'base64').toString('utf8').split(':');
  const given = password.join(':').replace(/[^a-z\d]/gi, '');
  return users.find(each => each.name === name && each.password.replace(/[^a-z\d]/gi, '') === given) ?? null;
}
