/** The middle value; the mean of the two middle ones of an even number. Throws for none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  if (low === undefined || high === undefined) throw new Error('nothing was measured');
  return (low + high) / 2;
}

/**
 * Times several subjects side by side: every round runs each of them `runs` times, so that whatever else
 * the machine does meets all of them alike. Returns, for each subject, the milliseconds of every run, by
 * round. The first round only warms up.
 */
export async function timeInRounds(
  subjects: readonly (() => Promise<unknown>)[],
  { rounds, runs }: { rounds: number; runs: number },
): Promise<number[][][]> {
  const times: number[][][] = subjects.map(() => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, subject] of subjects.entries()) {
      const inRound = await timeRuns(subject, runs);
      if (round > 0) times[index]?.push(inRound);
    }
  }
  return times;
}

async function timeRuns(subject: () => Promise<unknown>, runs: number): Promise<number[]> {
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const startedMs = performance.now();
    await subject();
    times.push(performance.now() - startedMs);
  }
  return times;
}

/** How many times longer the first subject took: the median, over the rounds, of the ratio within one. */
export function medianRatio(times: readonly (readonly number[])[], floor: readonly (readonly number[])[]) {
  return median(times.map((inRound, round) => median(inRound) / median(floor[round] ?? [])));
}
