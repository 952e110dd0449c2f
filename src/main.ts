#!/usr/bin/env node
import { runCli } from './cli/program.ts';
import { loadEnvFile } from './config.ts';

loadEnvFile();
process.exitCode = await runCli(process.argv.slice(2));
