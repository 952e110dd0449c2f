import { expect, it } from 'vitest';
import { queueNames } from '../../src/queue/schedule.ts';
import type { ConsumerHarness } from './ConsumerHarness.ts';
import { describeConsumer } from './describeConsumer.ts';
import { enrichmentHarness } from './harnesses/enrichment.ts';
import { importsHarness } from './harnesses/imports.ts';
import { ingestionHarness } from './harnesses/ingestion.ts';
import { publishingHarness } from './harnesses/publishing.ts';

type QueueName = (typeof queueNames)[keyof typeof queueNames];

// A queue without one is an error of types here, and a failure below.
const harnesses: Readonly<Record<QueueName, ConsumerHarness>> = {
  publishing: publishingHarness,
  ingestion: ingestionHarness,
  imports: importsHarness,
  enrichment: enrichmentHarness,
};

for (const [queue, harness] of Object.entries(harnesses)) describeConsumer(queue, harness);

it('covers the consumer of every registered queue', () => {
  expect(Object.keys(harnesses).sort()).toEqual(Object.values(queueNames).sort());
});
