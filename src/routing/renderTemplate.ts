import { hashtags } from './hashtags.ts';
import { filterNumber, parsePlaceholder } from './parsePlaceholder.ts';
import { type TemplateValue, templateFilters, textOf } from './templateFilters.ts';

export type TemplateValues = {
  title: string;
  url: string | null;
  summary: string | null;
  author: string | null;
  feed: string;
  tags: readonly string[];
};

/** What may stand between `{{` and `}}`, and what it becomes; what an article lacks becomes nothing. */
export const placeholders: Readonly<Record<string, (values: TemplateValues) => TemplateValue>> = {
  title: ({ title }) => title,
  url: ({ url }) => url ?? '',
  summary: ({ summary }) => summary ?? '',
  author: ({ author }) => author ?? '',
  feed: ({ feed }) => feed,
  tags: ({ tags }) => ({ items: tags, separator: ', ' }),
  hashtags: ({ tags }) => ({ items: hashtags(tags).split(' '), separator: ' ' }),
};

/**
 * Fills in a route's template, in one pass: braces and bars in a title are text. Blanks that an empty value
 * leaves at the end of a line go, and more than one empty line becomes one. `checkTemplate` has refused what
 * is no placeholder before; one that is met stays as it is.
 */
export function renderTemplate(template: string, values: TemplateValues): string {
  return template
    .replace(/\{\{([^{}]*)\}\}/g, (whole, inner: string) => {
      const value = filledIn(inner, values);
      return value === null ? whole : textOf(value);
    })
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Null for what is no placeholder. */
function filledIn(inner: string, values: TemplateValues): TemplateValue | null {
  const { name, filters } = parsePlaceholder(inner);
  let value = Object.hasOwn(placeholders, name) ? placeholders[name]?.(values) : undefined;
  for (const call of filters) {
    const filter = Object.hasOwn(templateFilters, call.name) ? templateFilters[call.name] : undefined;
    const number = filterNumber(call.argument);
    if (value === undefined || filter === undefined) return null;
    if (filter.takesNumber && number === null) return null;
    value = filter.apply(value, number ?? 0);
  }
  return value ?? null;
}
