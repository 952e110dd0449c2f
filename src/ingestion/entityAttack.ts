const declaration = /<!ENTITY\s+([^\s%"'>]+)\s+(?:(SYSTEM|PUBLIC)\b|"([^"]*)"|'([^']*)')/gi;
/** But for `&amp;` and the like, which XML has itself. */
const reference = /&(?!#|(?:amp|lt|gt|quot|apos);)/;
/** What feeds declare are names for single characters. */
const maxValueLength = 1_000;

/**
 * Says in words what a document type declaration has that only attacks have: entities made of entities (billion
 * laughs), long ones (quadratic blow-up), and such as lie elsewhere. Null: none of it. Nothing is ever expanded
 * or fetched; this is for telling a person, where an item would else be named by what was not expanded. What HTML
 * has names for, and the parameter entities that old feeds take it from, are passed over.
 */
export function entityAttack(doctype: string): string | null {
  for (const [, name = '', elsewhere, double, single] of doctype.matchAll(declaration)) {
    const value = double ?? single ?? '';
    if (elsewhere !== undefined) return `${named(name)} lies outside of the document`;
    if (reference.test(value)) return `${named(name)} is made of other entities`;
    if (value.length > maxValueLength) return `${named(name)} is longer than ${maxValueLength} characters`;
  }
  return null;
}

function named(name: string): string {
  return `the document declares an entity, "${name.slice(0, 30)}", that`;
}
