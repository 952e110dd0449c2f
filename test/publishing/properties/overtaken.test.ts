import { beforeAll, describe, expect, it } from 'vitest';
import type { PublishOutcome } from '../../../src/channels/PublishOutcome.ts';
import { type Change, changeRouteArticle } from '../../../src/publishing/changeRouteArticle.ts';
import { refused, throttled, unknown } from '../../support/publishing.ts';
import { useScene } from '../../support/scene.ts';
import { keepHistory } from './history.ts';
import { act, expectKept, expectNothingIsStuck, openTheatre, recover, tick } from './theatre.ts';
import { type Around, newConsumer, type Script } from './world.ts';

const scene = useScene();

beforeAll(() => keepHistory(scene.db));

const notSent = {
  kind: 'not_sent',
  code: 'send_by_passed',
  detail: 'too late',
} satisfies PublishOutcome;

function never(answer: PublishOutcome): Script {
  return { meetings: [{ arrives: false, answer }], isSearchComplete: true };
}

/** Holds up the `nth` step of its kind. */
function held(at: Parameters<Around>[0], nth: number) {
  let isReached: () => void = () => undefined;
  let resume: () => void = () => undefined;
  const isHeld = new Promise<void>(resolve => {
    isReached = resolve;
  });
  const isResumed = new Promise<void>(resolve => {
    resume = resolve;
  });
  let seen = 0;
  const around: Around = async (point, work) => {
    if (point === at && ++seen === nth) {
      isReached();
      await isResumed;
    }
    return work();
  };
  return { around, isHeld, resume };
}

// Interleavings that the property of states.test.ts has found.
describe('the states of an article whose repeat is overtaken', () => {
  it('stay unknown when a refusal of the first send comes after its repeat was lost', async () => {
    const theatre = await openTheatre(scene, { slow: 1, articles: 1 });
    const first = held('answer', 1);
    const send = tick(theatre, newConsumer(), never(refused), first.around);
    await first.isHeld;
    await recover(theatre, newConsumer());
    scene.clock.advance({ minutes: 10 });
    await tick(theatre, newConsumer(), {
      meetings: [{ arrives: true, answer: unknown }],
      isSearchComplete: true,
    });

    first.resume();
    await send;

    expect(await scene.db('route_articles').first()).toMatchObject({
      publish_status: 'unknown',
      publish_attempts: 2,
    });
    expect(await scene.db('publications')).toMatchObject([{ state: 'unknown' }]);
    await expectKept(theatre);
  });

  it('count no attempt for a repeat that a person overtakes before its gate', async () => {
    const theatre = await openTheatre(scene, { slow: 1, articles: 1 });
    await tick(theatre, newConsumer(), {
      meetings: [{ arrives: true, answer: unknown }],
      isSearchComplete: true,
    });
    scene.clock.advance({ minutes: 10 });
    const [person, repeat] = [held('statement', 2), held('gate', 1)];
    const settled = act(theatre, { kind: 'settle', article: 0 }, person.around);
    await person.isHeld;
    const repeated = tick(theatre, newConsumer(), never(refused), repeat.around);
    await repeat.isHeld;

    person.resume();
    await settled;
    repeat.resume();
    await repeated;

    expect(await scene.db('attempts').pluck('outcome')).toEqual(['unknown']);
    expect(await scene.db('route_articles').first()).toMatchObject({
      publish_status: 'published',
      publish_attempts: 1,
    });
  });

  it('keep row and publication together when a person sends again what a repeat has just claimed', async () => {
    const theatre = await openTheatre(scene, { slow: 1, articles: 1 });
    await tick(theatre, newConsumer(), never(unknown));
    scene.clock.advance({ minutes: 10 });
    const [person, repeat] = [held('statement', 2), held('gate', 1)];
    const settled = act(theatre, { kind: 'settle', article: 0 }, person.around);
    await person.isHeld;
    const repeated = tick(theatre, newConsumer(), never(refused), repeat.around);
    await repeat.isHeld;

    person.resume();
    await settled;
    repeat.resume();
    await repeated;

    await expectKept(theatre);
    await expectNothingIsStuck(theatre);
  });

  it.each([
    ['throttled', throttled],
    ['not sent', notSent],
  ] as const)(
    'end when the last repeat is recovered first and its answer comes late: %s',
    async (_, answer) => {
      const theatre = await openTheatre(scene, { slow: 1, articles: 1 });
      await tick(theatre, newConsumer(), never(unknown));
      await scene.db('route_articles').update({ publish_attempts: 3 });
      scene.clock.advance({ minutes: 10 });
      const fourth = held('answer', 1);
      const repeated = tick(theatre, newConsumer(), never(answer), fourth.around);
      await fourth.isHeld;
      await recover(theatre, newConsumer());

      fourth.resume();
      await repeated;

      await expectNothingIsStuck(theatre);
    },
  );

  it.each<Change>([
    { action: 'skip' },
    { action: 'reject' },
    { action: 'edit', title: 'edited', text: 'edited' },
  ])('are not changed by a person while a repeat is claimed: $action', async change => {
    const theatre = await openTheatre(scene, { slow: 1, articles: 1 });
    const [id = 0] = theatre.articles;
    await tick(theatre, newConsumer(), never(unknown));
    scene.clock.advance({ minutes: 10 });
    const repeat = held('gate', 1);
    const repeated = tick(theatre, newConsumer(), never(unknown), repeat.around);
    await repeat.isHeld;

    const result = await changeRouteArticle(scene.db, { id, change, actor: 'ada', now: scene.clock.now() });
    repeat.resume();
    await repeated;

    expect(result).toMatchObject({ kind: 'refused' });
    await expectKept(theatre);
    await expectNothingIsStuck(theatre);
  });
});
