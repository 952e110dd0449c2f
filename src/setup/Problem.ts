/** Where in the file: keys and, counted from 0, places in lists. */
export type Path = readonly (string | number)[];

/** One thing that is wrong, before it has its line. */
export type Problem = { path: Path; message: string };

/** `channels[1].interval`. */
export function formatPath(path: Path): string {
  const steps = path.map(step => (typeof step === 'number' ? `[${step}]` : `.${step}`));
  return steps.join('').replace(/^\./, '');
}
