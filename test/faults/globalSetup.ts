import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { build } from '../support/headway.ts';
import './support/provided.ts';

let folder = '';

/** Builds the program once for all fault tests. */
export async function setup(project: TestProject): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'headway-faults-'));
  await build(folder);
  project.provide('programFolder', folder);
}

export async function teardown(): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}
