import { describe, expect, it } from 'vitest';
import type { Place, Strike } from './support/Fault.ts';
import { useFaultScene } from './support/scene.ts';
import type { Worker } from './support/worker.ts';

const scene = useFaultScene();

async function openNews() {
  const workspaceId = await scene.workspace();
  return { workspaceId, news: await scene.channel(workspaceId, 'news') };
}

const claimed = { statement: 'claim-route-article' } as const;
const intent = { statement: 'insert-intent' } as const;
const recorded = { statement: 'record-published' } as const;
const failures = (worker: Worker) =>
  worker.lines.filter(({ msg }) => ['tick failed', 'workspace could not be recovered'].includes(String(msg)));

describe('a transaction that the server breaks off', () => {
  const codes = [
    ['a serialisation failure', '40001'],
    ['a deadlock', '40P01'],
  ] as const;
  const cases = codes.flatMap(([what, code]) =>
    [intent, recorded].map((place): [string, string, Place & Strike] => [
      what,
      place.statement,
      { ...place, do: 'fail', code },
    ]),
  );

  it.for(cases)('F44 by %s at %s is tried again, and no attempt counted', async ([, , fault]) => {
    const { news } = await openNews();
    const id = await scene.article(news);
    const worker = await scene.worker({ faults: [{ ...fault, when: 'before', times: 2 }] });

    await worker.struck(2);
    const published = await scene.reached(id, 'published');

    expect(published.publish_attempts).toBe(1);
    expect(await scene.tried(id, 'published')).toEqual(['published']);
    expect(failures(worker)).toEqual([]);
    await scene.expectInvariants();
  });

  it.for(codes)('F44 by %s in a recovery is tried again', async ([, code]) => {
    const { news } = await openNews();
    const id = await scene.article(news);
    const killed = await scene.worker({ faults: [{ ...claimed, when: 'after', do: 'kill' }] });
    await killed.ended();
    const fault = { statement: 'lock-in-flight', when: 'before', do: 'fail', code, times: 2 } as const;
    const worker = await scene.worker({ faults: [fault] });

    await worker.struck(2);
    await scene.reached(id, 'failed');

    expect(await scene.tried(id, 'interrupted')).toEqual(['interrupted']);
    expect(failures(worker)).toEqual([]);
    await scene.expectInvariants();
  });

  it('F44 again and again at its gate is reported, and the next tick goes on', async () => {
    const { news } = await openNews();
    const id = await scene.article(news);
    const fault = { ...intent, when: 'before', do: 'fail', code: '40P01', times: 3 } as const;
    const worker = await scene.worker({ faults: [fault] });

    await worker.struck(3);
    await worker.logged('tick failed');
    await scene.reached(id, 'failed');
    await scene.endWaits();
    await scene.reached(id, 'published');

    expect(failures(worker)).toHaveLength(1);
    expect(scene.publisher.posts).toHaveLength(1);
    await scene.expectInvariants();
  });

  it('F44 again and again at its record is reported, and the outcome found out', async () => {
    const { news } = await openNews();
    const id = await scene.article(news);
    const fault = { ...recorded, when: 'before', do: 'fail', code: '40001', times: 3 } as const;
    const worker = await scene.worker({ faults: [fault] });

    await worker.struck(3);
    await worker.logged('tick failed');
    await scene.settled(id, 'published');

    expect(failures(worker)).toHaveLength(1);
    expect(scene.publisher.posts.filter(({ isRepeat }) => !isRepeat)).toHaveLength(1);
    await scene.expectInvariants();
  });
});
