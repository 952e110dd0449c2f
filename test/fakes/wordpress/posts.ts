/** A post as the fake keeps it. */
export type StoredPost = {
  id: number;
  slug: string;
  status: string;
  author: number;
  title: string;
  content: string;
  excerpt: string;
  date: Date;
  categories?: number[];
  tags?: number[];
  featuredMedia?: number;
};

export type ListQuery = Readonly<Record<string, string | undefined>>;

/** What WordPress finds: `any` is all states but the trash, unless both are asked for. */
export function listPosts(stored: readonly StoredPost[], query: ListQuery) {
  const { slug, author, search, status = 'publish', orderby = 'date', order = 'desc' } = query;
  const states = status.split(',');
  const inState = ({ status }: StoredPost) =>
    states.includes(status) || (states.includes('any') && status !== 'trash');
  const found = stored
    .filter(inState)
    .filter(post => slug === undefined || slug.split(',').includes(post.slug))
    .filter(post => author === undefined || String(post.author) === author)
    .filter(post => search === undefined || termsOf(search).every(term => holds(post, term)))
    .toSorted((a, b) =>
      orderby === 'id' ? a.id - b.id : a.date.getTime() - b.date.getTime() || a.id - b.id,
    );
  if (order === 'desc') found.reverse();
  const perPage = Number(query.per_page ?? 10);
  const start = (Number(query.page ?? 1) - 1) * perPage;
  const pages = Math.ceil(found.length / perPage);
  return { total: found.length, pages, page: found.slice(start, start + perPage) };
}

function termsOf(search: string): string[] {
  return [...search.matchAll(/"([^"]+)"|([^\s,+"]+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

function holds({ title, content, excerpt }: StoredPost, term: string): boolean {
  return [title, content, excerpt].some(text => text.toLowerCase().includes(term.toLowerCase()));
}

/** `slug`, or `slug-2` where it is taken; what lies in the trash has another. */
export function uniqueSlug(slug: string, stored: readonly StoredPost[]): string {
  const isTaken = (wanted: string) => wanted !== '' && stored.some(post => post.slug === wanted);
  let unique = slug;
  for (let suffix = 2; isTaken(unique); suffix++) unique = `${slug}-${suffix}`;
  return unique;
}

/** A person moves a post to the trash. */
export function trash(post: StoredPost): void {
  post.status = 'trash';
  post.slug = `${post.slug}__trashed`;
}

export function shownPost(post: StoredPost, { base, context }: { base: string; context: string }) {
  const { id, slug, status, author, title, content, excerpt, date } = post;
  const text = (raw: string) => ({ ...(context === 'edit' && { raw }), rendered: typeset(raw) });
  return {
    id,
    date_gmt: date.toISOString().slice(0, 19),
    slug,
    status,
    type: 'post',
    link: status === 'publish' ? `${base}/${slug}/` : `${base}/?p=${id}`,
    title: text(title),
    content: { ...text(content), protected: false },
    excerpt: text(excerpt),
    author,
    featured_media: post.featuredMedia ?? 0,
    categories: post.categories ?? [1],
    tags: post.tags ?? [],
  };
}

/** As WordPress shows a text: it sets quotes, crosses and dots, outside of tags. */
function typeset(html: string): string {
  return html
    .split(/(<[^>]*>)/)
    .map(part =>
      part.startsWith('<')
        ? part
        : part
            .replace(/(\d)x(\d)/g, '$1&#215;$2')
            .replaceAll("'", '&#8217;')
            .replace(/"([^"]*)"/g, '&#8220;$1&#8221;')
            .replaceAll('...', '&#8230;')
            .replace(/&(?![#\w]+;)/g, '&#038;'),
    )
    .join('');
}
