import { describe } from 'vitest';
import type { ConsumerHarness } from './ConsumerHarness.ts';
import { useConsumers } from './consumerScene.ts';
import { describeCancellation } from './describeCancellation.ts';
import { describeGiveBack } from './describeGiveBack.ts';
import { describeRaces } from './describeRaces.ts';
import { describeRecovery } from './describeRecovery.ts';

/** The suite that every queue's consumer passes. What it promises is in src/unitConsumer.ts. */
export function describeConsumer(queue: string, harness: ConsumerHarness): void {
  describe(`consumer of ${queue}`, () => {
    const scene = useConsumers(harness);

    describe('at start-up', () => describeRecovery(scene));
    describe('giving back', () => describeGiveBack(scene));
    describe('cancelled', () => describeCancellation(scene));
    describe('racing with a run that finishes', () => describeRaces(scene));
  });
}
