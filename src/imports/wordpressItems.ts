import { readXml, type XmlHandler } from './readXml.ts';
import { mostArticleCharacters } from './sizes.ts';
import { isWanted, type WordPressItem } from './wordpressItem.ts';

/** One thing that an export holds; an item of null is too large to keep. */
export type WordPressPart =
  | { kind: 'export' }
  | { kind: 'author'; login: string; name: string }
  | { kind: 'item'; row: number; item: WordPressItem | null };

const wantedMeta: ReadonlySet<string> = new Set(['_thumbnail_id', '_wp_attachment_image_alt']);

/** The parts of an export in its order, in bounded memory: `rss > channel > item`, its elements and their parts. */
export function wordpressItems(
  chunks: AsyncIterable<string>,
): AsyncGenerator<WordPressPart | { kind: 'unreadable'; reason: string }> {
  return readXml(chunks, { root: 'rss', handler: partsHandler(), what: 'WordPress export' });
}

function partsHandler(): XmlHandler<WordPressPart> {
  let found: WordPressPart[] = [];
  let row = 0;
  let item: WordPressItem = newItem();
  let author = { login: '', name: '' };
  let meta = { key: '', value: '' };
  /** What is being collected; null: nothing that is of use. */
  let text: string | null = null;
  let isTag = false;
  let length = 0;

  const closeItem = () => {
    row += 1;
    found.push({ kind: 'item', row, item: length > mostArticleCharacters ? null : item });
  };
  return {
    onOpen(name, attributes, path) {
      if (path.length === 3 && name === 'item') {
        item = newItem();
        length = 0;
      }
      if (path.length === 3 && name === 'wp:author') author = { login: '', name: '' };
      if (path.length === 4 && name === 'wp:postmeta') meta = { key: '', value: '' };
      isTag = path.length === 4 && name === 'category' && isTerm(attributes);
      text = isTag || isRead(name, path) ? '' : null;
    },
    onText(piece) {
      if (text === null) return;
      length += piece.length;
      // Nothing is kept of what is too large, but it is read on to its end.
      text = length > mostArticleCharacters ? '' : text + piece;
    },
    onClose(name, path) {
      const parent = path.at(-2);
      if (text !== null) {
        if (isTag) item.tags.push(text);
        else if (name === 'wp:meta_key') meta.key = text;
        else if (name === 'wp:meta_value') meta.value = text;
        else if (name === 'wp:author_login') author.login = text;
        else if (name === 'wp:author_display_name') author.name = text;
        else if (name === 'wp:wxr_version') found.push({ kind: 'export' });
        else if (parent === 'item' && !item.texts.has(name)) item.texts.set(name, text);
      }
      text = null;
      isTag = false;
      if (path.length === 4 && name === 'wp:postmeta' && wantedMeta.has(meta.key))
        item.meta.set(meta.key, meta.value);
      if (path.length === 3 && name === 'wp:author') found.push({ kind: 'author', ...author });
      if (path.length === 3 && name === 'item') closeItem();
    },
    take() {
      const taken = found;
      found = [];
      return taken;
    },
  };
}

function newItem(): WordPressItem {
  return { texts: new Map(), tags: [], meta: new Map() };
}

function isRead(name: string, path: readonly string[]): boolean {
  const parent = path.at(-2);
  if (path.length === 3) return name === 'wp:wxr_version';
  if (path.length === 4 && parent === 'item') return isWanted(name);
  if (path.length === 4) return parent === 'wp:author' && /^wp:author_(login|display_name)$/.test(name);
  return path.length === 5 && parent === 'wp:postmeta' && /^wp:meta_(key|value)$/.test(name);
}

/** A category or a tag, and not the one that a post has which was given none. */
function isTerm({ domain, nicename }: Readonly<Record<string, string>>): boolean {
  return (domain === 'category' || domain === 'post_tag') && nicename !== 'uncategorized';
}
