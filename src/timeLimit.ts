/**
 * A signal that is aborted with `signal`, and after `limitMs` at the latest. Not `AbortSignal.timeout`: one that
 * only an `AbortSignal.any` knows of can be collected as garbage, and never fires (seen on Node 20). Here its
 * timer holds it; that keeps no process alive.
 */
export function timeLimit(signal: AbortSignal, limitMs: number): AbortSignal {
  const limit = new AbortController();
  const timer = setTimeout(
    () => limit.abort(new DOMException('the time limit has passed', 'TimeoutError')),
    limitMs,
  );
  timer.unref();
  return AbortSignal.any([signal, limit.signal]);
}
