/** Does a piece of work that asks the host of a URL, after all that asked for it before. */
export type InTurn = <Result>(url: string, work: () => Promise<Result>) => Promise<Result>;

/**
 * Makes the turns of hosts: whoever goes through them asks no host more than one thing at a time, for whatever
 * feed. Redirects are part of the turn that they came in.
 */
export function createHostTurns(): InTurn {
  const last = new Map<string, Promise<unknown>>();
  return (url, work) => {
    const host = hostOf(url);
    const turn = (last.get(host) ?? Promise.resolve()).then(work);
    const end = turn.then(forget, forget);
    last.set(host, end);
    function forget(): void {
      if (last.get(host) === end) last.delete(host);
    }
    return turn;
  };
}

/** The host of a URL with its port; what does not parse is a host of its own, and refused by the fetch. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
