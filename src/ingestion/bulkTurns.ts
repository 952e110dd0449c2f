/** Does a piece of work on so many items: at once, or, where they are many, after all such work before it. */
export type InBulkTurn = <Result>(items: number, work: () => Promise<Result>) => Promise<Result>;

/** A feed has some fifty. Of twenty thousand, each statement takes this thread and the database a good while. */
const bulk = 1_000;

/**
 * Makes the turns of large reads: several of them stored side by side kept ticks waiting for five seconds on two
 * cores, and one after the other they take no longer in all.
 */
export function createBulkTurns(): InBulkTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (items, work) => {
    if (items < bulk) return work();
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  };
}
