import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { useScene } from '../../support/scene.ts';
import { keepHistory } from './history.ts';
import {
  act,
  expectKept,
  expectNothingIsStuck,
  giveBack,
  openTheatre,
  type PersonStep,
  personSteps,
  recover,
  sceneries,
  scripts,
  type Theatre,
  tick,
} from './theatre.ts';
import { type Around, type Consumer, newConsumer, type Point, type Script } from './world.ts';

const scene = useScene();

beforeAll(() => keepHistory(scene.db));

type Step =
  | PersonStep
  | { kind: 'tick'; consumer: number; script: Script; holds: readonly Point[] }
  /** What is held up goes on, up to its next hold. */
  | { kind: 'release'; nth: number }
  /** The process dies where it is held up. */
  | { kind: 'kill'; nth: number }
  /** Starts up, while another one may be at work. */
  | { kind: 'recover' }
  /** Loses its locks, and gives back. */
  | { kind: 'lose'; consumer: number }
  | { kind: 'pass'; ms: number };

const consumers = fc.nat(1);
const tickSteps: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('tick' as const),
  consumer: consumers,
  script: scripts,
  holds: fc.subarray<Point>(['gate', 'send', 'answer']),
});
const passing: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('pass' as const),
  ms: fc.constantFrom(1_000, 11_000, 60_000, 300_000, 300_000, 1_800_000, 7_200_000),
});
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: tickSteps },
  { weight: 5, arbitrary: passing },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('release' as const), nth: consumers }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('kill' as const), nth: consumers }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'recover' as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lose' as const), consumer: consumers }) },
  { weight: 4, arbitrary: personSteps },
);

/** A tick under way, held up or over. */
type Run = { consumer: Consumer; resume: (() => void) | null; halted: Promise<unknown> };

function start(theatre: Theatre, consumer: Consumer, script: Script, holds: readonly Point[]): Run {
  let halt: (value: unknown) => void = () => undefined;
  const nextHalt = () =>
    new Promise(resolve => {
      halt = resolve;
    });
  const around: Around = async (point, work) => {
    if (!holds.some(hold => hold === point)) return work();
    await new Promise<void>(resolve => {
      run.resume = () => {
        run.resume = null;
        run.halted = nextHalt();
        over.catch(() => undefined).finally(() => halt(over));
        resolve();
      };
      halt(null);
    });
    return work();
  };
  const run: Run = { consumer, resume: null, halted: nextHalt() };
  const over = tick(theatre, consumer, script, around);
  over.catch(() => undefined).finally(() => halt(over));
  return run;
}

/** Plays the steps one after the other; what is held up stays so beside the others. */
function stage(theatre: Theatre) {
  const runs: Run[] = [];
  const { consumers } = theatre;
  const settle = async (run: Run) => {
    await run.halted;
    if (!run.resume) runs.splice(runs.indexOf(run), 1);
  };
  const release = async (run: Run) => {
    run.resume?.();
    await settle(run);
  };
  return {
    async play(step: Step) {
      switch (step.kind) {
        case 'tick': {
          const consumer = consumers[step.consumer] ?? newConsumer();
          const run = start(theatre, consumer, step.script, step.holds);
          runs.push(run);
          return settle(run);
        }
        case 'release': {
          const run = runs[step.nth];
          return run && release(run);
        }
        case 'kill': {
          const run = runs[step.nth];
          if (!run) return;
          runs.splice(0, runs.length, ...runs.filter(({ consumer }) => consumer !== run.consumer));
          consumers.splice(consumers.indexOf(run.consumer), 1, newConsumer());
          return;
        }
        case 'recover':
          return recover(theatre, newConsumer());
        case 'lose': {
          const consumer = consumers[step.consumer];
          if (!consumer) return;
          consumer.lock = newConsumer().lock;
          return giveBack(theatre, consumer);
        }
        case 'pass':
          return theatre.scene.clock.advance({ ms: step.ms });
        default:
          return act(theatre, step);
      }
    },
    async end() {
      for (let run = runs[0]; run; run = runs[0]) await release(run);
    },
  };
}

describe('the states of a route article', () => {
  it('follow the table, however two consumers, persons and late answers are interleaved', async () => {
    const plays = fc.array(steps, { minLength: 5, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(sceneries, plays, async (scenery, play) => {
        const theatre = await openTheatre(scene, scenery);
        const { play: playStep, end } = stage(theatre);

        for (const step of play) {
          await playStep(step);
          await expectKept(theatre);
        }

        await end();
        await expectNothingIsStuck(theatre);
        await expectKept(theatre);
      }),
      { numRuns: 15 },
    );
  }, 120_000);

  it('follow the table when two ticks, a recovery and persons meet at any statement', async () => {
    const rounds = fc.array(
      fc.record({
        first: scripts,
        second: scripts,
        persons: fc.array(personSteps, { maxLength: 2 }),
        recovers: fc.boolean(),
        passMs: fc.constantFrom(300_000, 300_000, 1_800_000, 7_200_000),
      }),
      { minLength: 2, maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(sceneries, rounds, fc.scheduler(), async (scenery, played, scheduler) => {
        const theatre = await openTheatre(scene, scenery);
        const [one = newConsumer(), other = newConsumer()] = theatre.consumers;
        const around: Around = (point, work) => {
          const done = Promise.resolve().then(work);
          // It may fail long before it is its turn to be told so.
          done.catch(() => undefined);
          return scheduler.schedule(done, point);
        };

        for (const { first, second, persons, recovers, passMs } of played) {
          const together = [
            tick(theatre, one, first, around),
            tick(theatre, other, second, around),
            ...persons.map(step => act(theatre, step, around)),
            ...(recovers ? [recover(theatre, newConsumer(), around)] : []),
          ];
          await scheduler.waitFor(Promise.all(together));
          await expectKept(theatre);
          theatre.scene.clock.advance({ ms: passMs });
        }

        await expectNothingIsStuck(theatre);
        await expectKept(theatre);
      }),
      { numRuns: 15 },
    );
  }, 120_000);

  it('are written down by the test database', async () => {
    const theatre = await openTheatre(scene, { slow: 0, articles: 9 });

    await tick(theatre, newConsumer(), { meetings: [], isSearchComplete: true });

    const causes = await scene.db('history').whereNotNull('cause').pluck('cause');
    expect(causes).toEqual(['published']);
  });
});
