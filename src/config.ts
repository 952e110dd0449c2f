import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { didYouMean } from './didYouMean.ts';
import { formatDuration, parseDuration } from './duration.ts';
import { defaultLimits, type LimitName, type Limits, limitNames, limitSetting } from './limits.ts';
import { type LogLevel, logLevels } from './logger.ts';

/** Everything that the environment decides, checked as a whole and frozen. */
export type Config = Readonly<{
  /** Null: the embedded PostgreSQL in `dataDir`. */
  databaseUrl: string | null;
  /** Null: BullMQ keeps its queues in the same PostgreSQL. */
  redisUrl: string | null;
  dataDir: string;
  host: string;
  port: number;
  /** Null: one is generated at the first start. */
  adminPassword: string | null;
  /** One key or several, newest first; null: one is generated into `dataDir`. */
  secretKey: string | null;
  /** Networks (CIDR) or addresses that feeds and channels may be on although they are private. */
  allowNetworks: readonly string[];
  /** Sent with every request, so that those who serve feeds can write to somebody. */
  contact: string | null;
  /** Null: `info` for servers, `warn` for commands, which say themselves what they did. */
  logLevel: LogLevel | null;
  /** From the first signal to the exit, at most. */
  shutdownGraceMs: number;
  /** How often feeds that are due are looked for. */
  ingestEveryMs: number;
  /** How long a command waits for its database before it gives up; servers wait for ever. */
  databaseWaitMs: number;
  limits: Limits;
}>;

/** Thrown for bad settings: every one of them, each with its name, the value got, and what is allowed. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The settings cannot be used:\n${problems.map(problem => `  ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The process's environment, read in this file alone. */
export const processEnvironment: Environment = process.env;

/**
 * Adds what a `.env` file in the working directory says; what the environment says itself stays. Throws
 * `ConfigError` for one that cannot be read.
 */
export function loadEnvFile(): void {
  try {
    if (existsSync('.env')) process.loadEnvFile('.env');
  } catch (error) {
    throw new ConfigError([`.env cannot be read: ${error instanceof Error ? error.message : error}`]);
  }
}

const plainSettings = [
  'HEADWAY_DATA_DIR',
  'HEADWAY_HOST',
  'HEADWAY_ALLOW_NETWORKS',
  'HEADWAY_CONTACT',
  'HEADWAY_LOG_LEVEL',
  'HEADWAY_SHUTDOWN_GRACE',
  'HEADWAY_INGEST_EVERY',
  'HEADWAY_DATABASE_WAIT',
] as const;
const secretSettings = ['HEADWAY_ADMIN_PASSWORD', 'HEADWAY_SECRET_KEY'] as const;

/**
 * Reads the settings from an environment. Secrets may be given as `NAME_FILE`, the path of a file that
 * holds the value. Throws `ConfigError` with every bad value at once; values of secrets are not shown.
 */
export function readConfig(env: Environment, { parseNetworks }: ConfigParsers): Config {
  const problems: string[] = [];
  const read = <Value>(
    name: string,
    fallback: Value,
    parse: (text: string) => Value,
    secret = false,
  ): Value => {
    try {
      const text = secret ? readSecret(env, name) : env[name];
      return text === undefined || text === '' ? fallback : parse(text);
    } catch (error) {
      const got = secret ? '' : ` (got "${env[name]}")`;
      const what = error instanceof Error ? error.message : String(error);
      // Some parsers name their setting themselves, and the very part of it that is wrong.
      problems.push(
        `${name} ${what.startsWith(`${name}: `) ? what.slice(name.length + 2) : `${what}${got}`}`,
      );
      return fallback;
    }
  };
  const optional = (name: string, parse = (text: string) => text) =>
    read<string | null>(name, null, parse, true);
  const readLimit = (name: LimitName) => [
    name,
    read(limitSetting(name), defaultLimits[name], atLeast('100ms')),
  ];

  const config: Config = {
    databaseUrl: optional('DATABASE_URL', urlOf(['postgres:', 'postgresql:'])),
    redisUrl: optional('REDIS_URL', urlOf(['redis:', 'rediss:'])),
    dataDir: resolve(read('HEADWAY_DATA_DIR', './data', String)),
    host: read('HEADWAY_HOST', '127.0.0.1', String),
    port: read('PORT', 3000, portOf),
    adminPassword: optional('HEADWAY_ADMIN_PASSWORD', longEnough),
    secretKey: optional('HEADWAY_SECRET_KEY', keysOf),
    allowNetworks: read<readonly string[]>('HEADWAY_ALLOW_NETWORKS', [], parseNetworks),
    contact: read<string | null>('HEADWAY_CONTACT', null, printable),
    logLevel: read<LogLevel | null>('HEADWAY_LOG_LEVEL', null, levelOf),
    shutdownGraceMs: read('HEADWAY_SHUTDOWN_GRACE', 25_000, atLeast('5s')),
    ingestEveryMs: read('HEADWAY_INGEST_EVERY', 30_000, atLeast('1s')),
    databaseWaitMs: read('HEADWAY_DATABASE_WAIT', 30_000, atLeast('0s')),
    limits: Object.freeze({ ...defaultLimits, ...Object.fromEntries(limitNames.map(readLimit)) }),
  };
  problems.push(...unknownSettings(env), ...unfitLimits(config.limits));
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(config);
}

/** What the settings need from elsewhere to be checked. Throws an Error that says what is allowed. */
export type ConfigParsers = { parseNetworks: (text: string) => readonly string[] };

function readSecret(env: Environment, name: string): string | undefined {
  const path = env[`${name}_FILE`];
  if (path === undefined || path === '') return env[name];
  if (env[name]) throw new Error(`is set twice: as itself and as ${name}_FILE`);
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    throw new Error(`cannot be read from ${name}_FILE: no readable file at ${path}`);
  }
}

function urlOf(protocols: readonly string[]) {
  return (text: string): string => {
    const isAllowed = URL.canParse(text) && protocols.includes(new URL(text).protocol);
    if (!isAllowed) throw new Error(`is not a URL that begins with ${protocols[0]}//`);
    return text;
  };
}

// It goes into a header.
function printable(text: string): string {
  if (!/^[\x20-\x7e]+$/.test(text))
    throw new Error('is not plain text, allowed: printable ASCII on one line');
  return text;
}

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new Error('is not a port, allowed: 0 to 65535 (0: any free one)');
  return port;
}

function longEnough(text: string): string {
  if (text.length < 8) throw new Error('is too short, allowed: 8 characters or more');
  return text;
}

// As loadSecretKeys reads them, which is too late to be listed with the others.
function keysOf(text: string): string {
  const keys = text.split(/[\s,]+/).filter(key => key !== '');
  const wrong = keys.findIndex(key => !/^([0-9a-f]{64}|[a-z0-9+/_-]{43}=?)$/i.test(key));
  if (keys.length > 0 && wrong === -1) return text;
  const form = '32 bytes as base64, or 64 hexadecimal digits';
  if (keys.length <= 1) throw new Error(`is not a secret key, allowed: ${form}`);
  const which = `(number ${wrong + 1} of ${keys.length} is none)`;
  throw new Error(
    `is not a list of secret keys ${which}, allowed: each ${form}, with blanks, line breaks or commas between`,
  );
}

function levelOf(text: string): LogLevel {
  const level = logLevels.find(name => name === text);
  if (!level) throw new Error(`is not a log level, allowed: ${logLevels.join(', ')}`);
  return level;
}

function atLeast(least: string) {
  return (text: string): number => {
    const duration = parseDuration(text);
    if (duration < parseDuration(least)) throw new Error(`is too short, allowed: ${least} or more`);
    return duration;
  };
}

// A lock session that is asked too rarely is ended by the server, and its process loses every lock.
function unfitLimits({ lockAskMs, lockIdleMs }: Limits): string[] {
  if (2 * lockAskMs <= lockIdleMs) return [];
  const [ask, idle] = [limitSetting('lockAskMs'), limitSetting('lockIdleMs')];
  const got = `${formatDuration(lockAskMs)} and ${formatDuration(lockIdleMs)}`;
  return [`${ask} is too long for ${idle} (got ${got}), allowed: half of it at most`];
}

function unknownSettings(env: Environment): string[] {
  const known = [
    ...plainSettings,
    ...secretSettings,
    ...secretSettings.map(name => `${name}_FILE`),
    ...limitNames.map(limitSetting),
  ];
  return Object.keys(env)
    .filter(name => name.startsWith('HEADWAY_') && !known.includes(name))
    .filter(name => !isForConfigFile(name) && !isServiceLink(name))
    .map(name => `${name} is not a setting${didYouMean(name, known)}`);
}

// What an export names the secrets that config.yaml had written out.
function isForConfigFile(name: string): boolean {
  return name.startsWith('HEADWAY_ACCOUNT_') || name.startsWith('HEADWAY_CHANNEL_');
}

// What Kubernetes tells every container of a service that is called "headway".
function isServiceLink(name: string): boolean {
  return /^HEADWAY_(SERVICE|PORT)(_|$)/.test(name);
}
