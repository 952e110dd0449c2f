import { afterEach } from 'vitest';
import { type OpenFake, openProtocolFake } from '../support/protocolFake.ts';
import { describeWordPress } from './wordpress/describeWordPress.ts';
import { trash } from './wordpress/posts.ts';
import { fakeWordPress } from './wordpress.ts';

// There is no client library that is maintained: what is stated was seen on WordPress 6.1.9, request by request.
const opened: OpenFake[] = [];

afterEach(async () => {
  for (const { close } of opened.splice(0)) await close();
});

describeWordPress('the fake WordPress', async () => {
  const site = fakeWordPress();
  const open = await openProtocolFake(site);
  opened.push(open);
  const passwords = Object.fromEntries(site.users.map(({ role, password }) => [role, password]));
  const { editor = '', author = '', contributor = '', subscriber = '' } = passwords;
  return {
    url: open.url,
    passwords: { editor, author, contributor, subscriber },
    trash: async id => site.stored.filter(post => post.id === id).forEach(trash),
  };
});
