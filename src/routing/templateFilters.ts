import { cutText } from '../text/cutText.ts';
import { graphemes } from '../text/graphemes.ts';

/** What a placeholder stands for: a text, or a list that becomes a text by its separator. */
export type TemplateValue = string | { items: readonly string[]; separator: string };

type Filter = {
  /** Whether it needs a number behind a colon, or takes none. */
  takesNumber: boolean;
  /** `list`: it takes only lists. */
  takes: 'any' | 'list';
  /** Whether a list is one afterwards. */
  keepsLists: boolean;
  apply(value: TemplateValue, number: number): TemplateValue;
};

/** What may stand behind a `|` in a placeholder. */
export const templateFilters: Readonly<Record<string, Filter>> = {
  truncate: {
    takesNumber: true,
    takes: 'any',
    keepsLists: false,
    apply: (value, number) => cutText(textOf(value), { max: number, measure: graphemes }).text,
  },
  words: {
    takesNumber: true,
    takes: 'any',
    keepsLists: false,
    apply: (value, number) => cutText(textOf(value), { max: number, measure: words }).text,
  },
  first: {
    takesNumber: true,
    takes: 'list',
    keepsLists: true,
    apply: (value, number) => {
      if (typeof value === 'string') return value;
      return { ...value, items: value.items.slice(0, number) };
    },
  },
  upper: {
    takesNumber: false,
    takes: 'any',
    keepsLists: true,
    apply: value => eachText(value, text => text.toUpperCase()),
  },
  lower: {
    takesNumber: false,
    takes: 'any',
    keepsLists: true,
    apply: value => eachText(value, text => text.toLowerCase()),
  },
};

/** A value as it goes into the post. */
export function textOf(value: TemplateValue): string {
  return typeof value === 'string' ? value : value.items.join(value.separator);
}

function words(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}

function eachText(value: TemplateValue, change: (text: string) => string): TemplateValue {
  return typeof value === 'string' ? change(value) : { ...value, items: value.items.map(change) };
}
