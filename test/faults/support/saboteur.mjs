// Preloaded into a child process of the built program (NODE_OPTIONS=--import): lets a fault strike at an exact
// statement, and shifts the clock, without a hook in the product. See faults.ts for what FAULT may say.
import { readFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const stderr = 2;
const clockReadEveryMs = 50;

if (isMainThread) {
  if (process.env.FAULT_CLOCK) shiftClock(process.env.FAULT_CLOCK);
  if (process.env.FAULT) sabotage(JSON.parse(process.env.FAULT));
}

function sabotage(faults) {
  const { Client } = createRequire(process.argv[1])('pg');
  const query = Client.prototype.query;
  const armed = faults.map(fault => ({ nth: 1, times: 1, ...fault, seen: 0 }));
  const transactions = new WeakMap();

  Client.prototype.query = function sabotaged(...args) {
    const statement = describe(args, namesOf(this));
    if (statement === null) return query.apply(this, args);
    const { promise, settle } = outcomeFor(args);
    const fault = strikesNow(armed.filter(strikesWhenSent), statement, []);
    if (fault) announce(fault, statement);
    if (fault?.do === 'destroy') this.connection.stream.destroy();
    else if (fault && !(fault.do in replacements) && fault.do !== 'hang') perform(fault);
    // The process ends once this turn is over: what is written in it would still leave.
    if (fault?.do === 'reject') return promise;
    const replacement = fault?.when === 'before' ? replacements[fault.do]?.(fault) : undefined;
    query.call(this, replacement ?? statement.config, (error, result) => {
      const known = error ? null : strikesNow(armed.filter(strikesWhenAnswered), statement, rowsOf(result));
      if (known) announce(known, statement);
      if (known?.do === 'destroy') {
        this.connection.stream.destroy();
        return settle(new Error('Connection terminated unexpectedly'));
      }
      if (known?.do === 'wait_for_signal') {
        // Behind the program's own handler.
        return void process.once('SIGTERM', () => setImmediate(() => settle(error, result)));
      }
      if (known) perform(known);
      settle(error, result);
    });
    // The answer arrives and is never read: the program's own limits are all that ends it.
    if (fault?.do === 'hang' && fault.when === 'after') this.connection.stream.pause();
    return promise;
  };

  /** The named statements of a client's open transaction. */
  function namesOf(client) {
    if (!transactions.has(client)) transactions.set(client, new Set());
    return transactions.get(client);
  }
}

const strikesWhenSent = fault => fault.when === 'before' || fault.do === 'hang';
const strikesWhenAnswered = fault => !strikesWhenSent(fault);

// What is sent instead. The server itself raises and waits, so that limits and transactions behave as with a
// real fault.
const replacements = {
  fail: ({ code }) => ({
    text: `do $saboteur$ begin raise exception using errcode = '${code}', message = 'saboteur'; end $saboteur$`,
  }),
  hang: () => ({ text: 'select pg_sleep(86400)' }),
};

/** Null: a call that is not one statement with a name or a text, such as a cursor. */
function describe([first, second], names) {
  if (first === null || first === undefined || typeof first.submit === 'function') return null;
  const given = typeof first === 'string' ? { text: first } : first;
  const config = Array.isArray(second) ? { ...given, values: second } : given;
  const text = String(config.text ?? '');
  const command = /^\s*(begin|start transaction|commit|rollback)\b/i.exec(text)?.[1]?.toLowerCase() ?? null;
  if (command === 'begin' || command === 'start transaction') names.clear();
  if (config.name) names.add(config.name);
  return {
    config,
    values: config.values ?? [],
    name: config.name ?? command ?? text,
    command,
    names: new Set(names),
  };
}

// Called with a callback or for a promise, as pg allows.
function outcomeFor(args) {
  const callback = args.find(arg => typeof arg === 'function') ?? args[0]?.callback;
  if (callback) return { promise: undefined, settle: callback };
  let settle = () => {};
  const promise = new Promise((resolve, reject) => {
    settle = (error, result) => (error ? reject(error) : resolve(result));
  });
  return { promise, settle };
}

/** The first of these that is to strike now, or undefined; counts them all. */
function strikesNow(faults, statement, rows) {
  return faults.filter(fault => isDue(fault, statement, rows))[0];
}

function isDue(fault, statement, rows) {
  const { containing, nth, times } = fault;
  if (!isAbout(fault, statement)) return false;
  if (containing !== undefined && !contains([...statement.values, ...rows], containing)) return false;
  fault.seen += 1;
  return fault.seen >= nth && fault.seen < nth + times;
}

function isAbout({ statement, commitOf }, { name, command, names }) {
  return commitOf === undefined ? name === statement : command === 'commit' && names.has(commitOf);
}

function contains(values, wanted) {
  return values.some(value => String(value) === wanted || String(JSON.stringify(value)).includes(wanted));
}

function rowsOf(result) {
  return Array.isArray(result) ? result.flatMap(({ rows }) => rows) : (result?.rows ?? []);
}

function announce(fault, { name, command }) {
  const where = command === 'commit' ? `commit of ${fault.commitOf ?? 'a transaction'}` : name;
  writeSync(stderr, `saboteur: ${fault.do} ${fault.when} ${where}\n`);
}

function perform(fault) {
  switch (fault.do) {
    case 'kill':
      return void process.kill(process.pid, 'SIGKILL');
    case 'exit':
      return process.exit(1);
    case 'reject':
      return void Promise.reject(new Error('saboteur: nobody handles this'));
    case 'oom':
      return eatMemory();
    case 'stop':
      return void process.kill(process.pid, 'SIGSTOP');
    case 'block':
      return block(fault.ms);
    default:
      throw new Error(`saboteur: cannot ${fault.do}`);
  }
}

function eatMemory() {
  const hoard = [];
  for (;;) hoard.push(new Array(100_000).fill({}).map(() => ({})));
}

function block(ms) {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

function shiftClock(file) {
  const RealDate = Date;
  let offsetMs = readOffset(file);
  const now = () => RealDate.now() + offsetMs;
  const Shifted = new Proxy(RealDate, {
    construct: (target, args, asked) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, asked === Shifted ? target : asked),
    apply: () => new RealDate(now()).toString(),
    get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
  });
  globalThis.Date = Shifted;
  setInterval(() => {
    const asked = readOffset(file);
    if (asked === offsetMs) return;
    offsetMs = asked;
    writeSync(stderr, `clock: shifted to ${offsetMs} ms\n`);
  }, clockReadEveryMs).unref();
}

function readOffset(file) {
  try {
    return Number(readFileSync(file, 'utf8')) || 0;
  } catch {
    return 0;
  }
}
