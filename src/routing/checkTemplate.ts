import { didYouMean } from '../didYouMean.ts';
import { placeholders } from './renderTemplate.ts';

const names = Object.keys(placeholders);

/** What is wrong with a route's template, for the person who wrote it; empty: nothing. */
export function checkTemplate(template: string): string[] {
  const problems: string[] = [];
  if (template.trim() === '') problems.push('is empty');
  for (const [, inner = ''] of template.matchAll(/\{\{(.*?)\}\}/gs)) {
    const name = inner.trim();
    if (!names.includes(name)) {
      problems.push(
        `has an unknown placeholder "{{ ${name} }}"${didYouMean(name, names)}, allowed: ${names.join(', ')}`,
      );
    }
  }
  if (/\{\{|\}\}/.test(template.replace(/\{\{.*?\}\}/gs, '')))
    problems.push('has "{{" or "}}" without the other');
  return problems;
}
