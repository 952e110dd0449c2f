import { didYouMean } from '../didYouMean.ts';
import { type FilterCall, filterNumber, mostNumber, parsePlaceholder } from './parsePlaceholder.ts';
import { placeholders } from './renderTemplate.ts';
import { templateFilters } from './templateFilters.ts';

const names = Object.keys(placeholders);
const filterNames = Object.keys(templateFilters);
const lists = ['tags', 'hashtags'];

/** What is wrong with a route's template, for the person who wrote it; empty: nothing. */
export function checkTemplate(template: string): string[] {
  const problems: string[] = [];
  if (template.trim() === '') problems.push('is empty');
  for (const [, inner = ''] of template.matchAll(/\{\{(.*?)\}\}/gs)) {
    problems.push(...checkPlaceholder(inner));
  }
  if (/\{\{|\}\}/.test(template.replace(/\{\{.*?\}\}/gs, '')))
    problems.push('has "{{" or "}}" without the other');
  return problems;
}

function checkPlaceholder(inner: string): string[] {
  const { name, filters } = parsePlaceholder(inner);
  const where = `in "{{ ${inner.trim()} }}"`;
  if (!names.includes(name)) {
    return [
      `has an unknown placeholder "{{ ${name} }}"${didYouMean(name, names)}, allowed: ${names.join(', ')}`,
    ];
  }
  if (name === 'url' && filters.length > 0) {
    return [`has a filter on url ${where}, allowed: none, as a link that is changed leads elsewhere`];
  }
  let isList = lists.includes(name);
  return filters.flatMap(call => {
    const problem = checkFilter(call, isList);
    isList &&= templateFilters[call.name]?.keepsLists ?? true;
    return problem === null ? [] : [`${problem.what} ${where}${problem.advice}`];
  });
}

type FilterProblem = { what: string; advice: string };

/** Null: nothing is wrong with it. */
function checkFilter({ name, argument }: FilterCall, isList: boolean): FilterProblem | null {
  const filter = filterNames.includes(name) ? templateFilters[name] : undefined;
  if (filter === undefined) {
    const what = name === '' ? 'has "|" without a filter' : `has an unknown filter "${name}"`;
    const meant = name === '' ? '' : didYouMean(name, filterNames);
    return { what, advice: `${meant}, allowed: ${filterNames.join(', ')}` };
  }
  if (filter.takes === 'list' && !isList) {
    const advice = `, allowed: on ${lists.join(' and ')}, before any filter that makes them text`;
    return { what: `has the filter "${name}" on a text`, advice };
  }
  if (!filter.takesNumber) {
    if (argument === null) return null;
    return { what: `has "${argument}" for the filter "${name}"`, advice: ', allowed: no value' };
  }
  if (filterNumber(argument) !== null) return null;
  const what =
    argument === null || argument === ''
      ? `has no value for the filter "${name}"`
      : `has "${argument}" for the filter "${name}"`;
  return { what, advice: `, allowed: a whole number from 1 to ${mostNumber}, as in "${name}: 80"` };
}
