import { hashtags } from './hashtags.ts';

export type TemplateValues = {
  title: string;
  url: string | null;
  summary: string | null;
  author: string | null;
  feed: string;
  tags: readonly string[];
};

/** What may stand between `{{` and `}}`, and what it becomes; what an article lacks becomes nothing. */
export const placeholders: Readonly<Record<string, (values: TemplateValues) => string>> = {
  title: ({ title }) => title,
  url: ({ url }) => url ?? '',
  summary: ({ summary }) => summary ?? '',
  author: ({ author }) => author ?? '',
  feed: ({ feed }) => feed,
  tags: ({ tags }) => tags.join(', '),
  hashtags: ({ tags }) => hashtags(tags),
};

/**
 * Fills in a route's template, in one pass: braces in a title are text. Blanks that an empty value leaves at
 * the end of a line go, and more than one empty line becomes one. `checkTemplate` has refused unknown
 * placeholders before; one that is met stays as it is.
 */
export function renderTemplate(template: string, values: TemplateValues): string {
  return template
    .replace(/\{\{\s*(\w+)\s*\}\}/g, (whole, name: string) =>
      Object.hasOwn(placeholders, name) ? (placeholders[name]?.(values) ?? whole) : whole,
    )
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
