/**
 * The file that a parser's thread begins with: beside this one, built or not. From the sources it is reached
 * through the loader that runs them, since Node 20 hands a loader on to no thread.
 */
export function parserEntry(): URL {
  if (!import.meta.url.endsWith('.ts')) return new URL('./parserWorker.js', import.meta.url);
  const loader = import.meta.resolve('tsx/esm/api');
  const start = new URL('./parserWorker.ts', import.meta.url);
  const script = `import { register } from '${loader}'; register(); await import('${start}');`;
  return new URL(`data:text/javascript,${encodeURIComponent(script)}`);
}
