/** What is wrong with a post, as Ghost validates: characters outside the basic plane count one. Null: nothing. */
export function problemOf(post: Record<string, unknown>): string | null {
  const limits = { title: 255, custom_excerpt: 300, feature_image_alt: 191, canonical_url: 2_000, slug: 191 };
  for (const [field, limit] of Object.entries(limits)) {
    const length = [...String(post[field] ?? '')].length;
    if (length > limit) return `Value in [posts.${field}] exceeds maximum length of ${limit} characters.`;
  }
  if (typeof post.title !== 'string') return 'Validation failed for title.';
  const status = post.status ?? 'draft';
  if (status === 'scheduled') return 'Value in published_at cannot be blank.';
  if (!['published', 'draft'].includes(String(status))) return 'Validation failed for status.';
  const names: unknown[] = Array.isArray(post.tags) ? post.tags : [];
  const tooLong = names.findIndex(name => String(name).length > 191);
  return tooLong === -1 ? null : `Validation failed for tags[${tooLong}].`;
}
