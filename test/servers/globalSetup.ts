import type { TestProject } from 'vitest/node';
import { readServers, serversVariable } from '../../scripts/servers/servers.ts';
import './support/provided.ts';

/** Tells the tests which servers scripts/servers.ts found or installed. Each test file starts its own. */
export function setup(project: TestProject): void {
  project.provide('servers', readServers(process.env[serversVariable]));
}
