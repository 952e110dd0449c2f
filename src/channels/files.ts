import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stringify } from 'yaml';
import { z } from 'zod';
import { publicationSlug } from '../text/slug.ts';
import type { Channel, Post } from './Channel.ts';
import { writeFileAtomically } from './writeFileAtomically.ts';

export type FilesSettings = {
  /** Absolute; a relative one is read in the working directory of whoever applies it. Made when it is missing. */
  folder: string;
};

/**
 * A folder of Markdown files with front matter, as static site generators read them. The path derives from
 * the post, so that the same publication is the same file, however often it is written.
 */
export const files: Channel<FilesSettings> = {
  platform: 'files',
  needsAccount: false,
  account: null,
  settings: z.strictObject({
    folder: z
      .string()
      .min(1, 'must name a folder')
      .transform(folder => resolve(folder)),
  }),
  secretKeys: [],

  destination: ({ folder }) => ({ instance: '', target: folder }),

  reconciliation: () => ({ kind: 'repeat' }),

  preview(post) {
    const text = fileText(post);
    return { parts: [{ name: pathOf(post), text, count: null }], notes: [] };
  },

  async publish(post, { folder: root }, { signal }) {
    if (signal.aborted)
      return { kind: 'not_sent', code: 'aborted', detail: 'aborted before the file was written' };

    const relativePath = pathOf(post);
    try {
      await writeFileAtomically({ root, relativePath, text: fileText(post) });
    } catch (error) {
      const detail = `cannot write ${relativePath} in ${root}: ${error instanceof Error ? error.message : error}`;
      return { kind: 'failed', code: 'write_failed', detail, isFinal: false, blames: 'channel' };
    }
    const remoteUrl = pathToFileURL(resolve(root, relativePath)).href;
    return { kind: 'succeeded', remoteId: relativePath, remoteUrl };
  },
};

// From the ISO form, in UTC: the machine's time zone and locale must not name a second file.
function pathOf({ postCreatedAt, postKey, title }: Post): string {
  const day = new Date(postCreatedAt).toISOString().slice(0, 10);
  const [year, month] = day.split('-');
  return `${year}/${month}/${day}-${publicationSlug({ title, postKey })}.md`;
}

function fileText(post: Post): string {
  const link = post.url === null ? '' : `\n<${post.url.replace(/[\s<>]/g, encodeURIComponent)}>\n`;
  return `---\n${frontMatter(post)}---\n\n${post.text.trimEnd()}\n${link}`;
}

function frontMatter({
  postKey,
  title,
  articlePublishedAt,
  url,
  author,
  tags,
  feed,
  summary,
  imageUrl,
}: Post): string {
  const fields = {
    title,
    date: articlePublishedAt,
    url,
    author,
    tags,
    feed,
    summary,
    image: imageUrl,
    id: postKey,
  };
  const present = Object.entries(fields).filter(([, value]) => value !== null && value.length > 0);
  // Quoted throughout: site generators read YAML 1.1, in which a plain `no` or `12:30` is not text.
  return stringify(Object.fromEntries(present), {
    defaultStringType: 'QUOTE_DOUBLE',
    defaultKeyType: 'PLAIN',
    lineWidth: 0,
    aliasDuplicateObjects: false,
  });
}
