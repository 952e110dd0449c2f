import { afterAll, beforeAll } from 'vitest';
import { describeWordPress } from '../fakes/wordpress/describeWordPress.ts';
import { describeServer } from './support/describeServer.ts';
import { askWordPress } from './support/listWordPressPosts.ts';
import { startWordPress, type WordPress } from './support/startWordPress.ts';

// The fake of WordPress is asked the same at every run.
describeServer('wordpress', () => {
  let wordpress: WordPress;

  beforeAll(async () => {
    wordpress = await startWordPress();
  });

  afterAll(() => wordpress?.stop());

  describeWordPress('a WordPress', async () => {
    const { url, editor, author, contributor, subscriber } = wordpress;
    return {
      url,
      passwords: {
        editor: editor.applicationPassword,
        author: author.applicationPassword,
        contributor: contributor.applicationPassword,
        subscriber: subscriber.applicationPassword,
      },
      async trash(id) {
        await askWordPress(url, editor, { method: 'DELETE', path: `/posts/${id}` });
      },
    };
  });
});
