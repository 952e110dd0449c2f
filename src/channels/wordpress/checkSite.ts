import type { Finding } from '../Channel.ts';
import { refusalBeforePost } from './answers.ts';
import { type Ask, restAddress, type WordPressAccess } from './api.ts';
import { readUser } from './session.ts';
import { resolveCategories } from './terms.ts';

type Settings = {
  status: 'publish' | 'draft' | 'pending';
  categories: readonly (string | number)[];
  image: string;
};

/** Looks at the user, at what it may do, and at the categories, without posting. */
export async function checkSite(settings: Settings, account: WordPressAccess, ask: Ask): Promise<Finding[]> {
  const result = await ask({ method: 'GET', path: '/wp/v2/users/me', query: { context: 'edit' } });
  const user = result.phase === 'answered' ? readUser(result) : null;
  if (user === null)
    return [{ subject: 'credentials', isOk: false, detail: refusalBeforePost(result).detail }];
  const roles = user.roles.join(', ') || 'no role';
  const at = restAddress(account.credentials.instance, account.session.root);
  return [
    { subject: 'credentials', isOk: true, detail: `logged in as ${user.name} (${roles}) at ${at}` },
    ...rightsOf(settings, user.capabilities),
    ...(await categoriesOf(settings, ask)),
  ];
}

function rightsOf({ status, image }: Settings, capabilities: readonly string[]): Finding[] {
  const needed = status === 'publish' ? 'publish_posts' : 'edit_posts';
  const mayPost = capabilities.includes(needed);
  const post: Finding = {
    subject: 'rights',
    isOk: mayPost,
    detail: mayPost
      ? `may post with status ${status}`
      : `may not post with status ${status}: that takes the right ${needed} (role author or editor)`,
  };
  if (image === 'off') return [post];
  const mayUpload = capabilities.includes('upload_files');
  const isOk = mayUpload || image !== 'required';
  const words = mayUpload ? 'may upload pictures' : 'may not upload pictures: posts go out without one';
  return [post, { subject: 'rights', isOk, detail: words }];
}

async function categoriesOf({ categories }: Settings, ask: Ask): Promise<Finding[]> {
  if (categories.length === 0) return [];
  const resolved = await resolveCategories(categories, ask);
  if (resolved.kind !== 'resolved') return [{ subject: 'settings', isOk: false, detail: resolved.detail }];
  return [{ subject: 'settings', isOk: true, detail: `categories have the ids ${resolved.ids.join(', ')}` }];
}
