import type { Database } from '../../src/database/Database.ts';
import type { Fault } from '../../test/faults/support/Fault.ts';
import { limitsInForce, scaledMs } from '../../test/faults/support/realTime.ts';
import { slotMs } from './createWorkspaces.ts';
import { pause } from './every.ts';
import { ourName, type World } from './openWorld.ts';
import type { Random } from './random.ts';
import type { WorkerSlot } from './WorkerSlot.ts';

export type FaultContext = {
  world: World;
  random: Random;
  /** Aborted when everything is to be mended. */
  signal: AbortSignal;
  /** Told of what a fault finds that should not be. */
  complain: (sentence: string) => void;
};

/** Lets one fault strike; resolves when what it took away is back. */
export type Strike = (context: FaultContext) => Promise<void>;

/** The faults of the soak by the numbers that the table in the README gives them. */
export const faults = {
  'F1 kill after the claim': context =>
    armOne(context, nth => ({ when: 'after', statement: 'claim-route-article', do: 'kill', nth })),
  'F3 kill after the publisher accepted': context =>
    armOne(context, nth => ({ when: 'before', statement: 'record-published', do: 'kill', nth })),
  'F1-F3 kill at any moment': async ({ world, random }) => pickSlot(world, random).killNow(),
  'F10 freeze beyond every limit': freeze,
  'F16 block the event loop': context => {
    const ms = scaledMs(40_000);
    const statement = context.random.pick(['claim-route-article', 'due-for-publishing', 'record-published']);
    return armOne(context, nth => ({ when: 'after', statement, do: 'block', ms, nth }));
  },
  'F17 stop Redis': async ({ world, signal }) => {
    world.redis?.freeze();
    await pause(scaledMs(45_000), signal);
    world.redis?.thaw();
  },
  'F29 flush Redis': async ({ world }) => world.redis?.flush(),
  'F30 restart Redis empty': async ({ world, random, signal }) => {
    await world.redis?.kill();
    await pause(random.between(100, 2_000), signal);
    await world.redis?.start();
  },
  'F32 shift a clock': shiftClock,
  'F38 terminate backends': terminateBackends,
  'F41 half-open a connection': halfOpen,
} satisfies Record<string, Strike>;

export type FaultName = keyof typeof faults;

const mostNth = 15;
const beyondLimitsMs = Math.max(...Object.values(limitsInForce)) + 2_000;
const beyondAnswersMs = 1.2 * Math.max(limitsInForce.databaseAnswerMs, limitsInForce.queueAnswerMs);
const mostBackends = 5;
const lockSessions = 'headway locks';

// The process that is there stops in good order, as in a deploy, and the next one has the fault in store.
async function armOne({ world, random }: FaultContext, faultAt: (nth: number) => Fault): Promise<void> {
  const slot = pickSlot(world, random);
  slot.arm(faultAt(random.whole(1, mostNth)));
  await slot.replace();
}

async function freeze({ world, random, signal, complain }: FaultContext): Promise<void> {
  const worker = pickSlot(world, random).worker;
  worker?.freeze();
  await pause(beyondLimitsMs, signal);
  if (!signal.aborted) await complainOfSilentSessions(world.db, complain);
  worker?.thaw();
}

async function complainOfSilentSessions(db: Database, complain: (sentence: string) => void) {
  const allowedMs = beyondLimitsMs - 1_000;
  const { rows } = await db.raw(
    `select pid from pg_stat_activity where application_name = ? and state = 'idle'
     and clock_timestamp() - state_change > ? * interval '1 ms'`,
    [lockSessions, allowedMs],
  );
  for (const { pid } of rows)
    complain(`F10: lock session ${pid} said nothing for ${allowedMs} ms, and lives`);
}

// −15 min, +1 h, and +1 h and back, as they are for a slot of five minutes.
async function shiftClock({ world, random, signal }: FaultContext): Promise<void> {
  const { offsetMs, isTakenBack } = random.pick([
    { offsetMs: -3 * slotMs, isTakenBack: false },
    { offsetMs: 12 * slotMs, isTakenBack: false },
    { offsetMs: 12 * slotMs, isTakenBack: true },
  ]);
  const staysMs = random.between(2 * slotMs, 4 * slotMs);
  const slot = pickSlot(world, random);
  void slot.shiftClock(offsetMs);
  if (!isTakenBack) return;
  await pause(staysMs, signal);
  void slot.shiftClock(0);
}

async function terminateBackends({ world: { db }, random }: FaultContext): Promise<void> {
  const name = random.chance(1 / 3) ? lockSessions : '%';
  const { rows }: { rows: { pid: number }[] } = await db.raw(
    `select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend'
     and application_name <> ? and application_name like ? order by pid`,
    [ourName, name],
  );
  for (let ended = random.whole(1, mostBackends); ended > 0 && rows.length > 0; ended -= 1) {
    const [backend] = rows.splice(random.whole(0, rows.length - 1), 1);
    await db.raw('select pg_terminate_backend(?)', [backend?.pid ?? 0]);
  }
}

async function halfOpen({ world, random, signal }: FaultContext): Promise<void> {
  const { toPostgres, toRedis } = pickSlot(world, random);
  const proxy = random.chance(0.5) ? toPostgres : (toRedis ?? toPostgres);
  proxy.halfOpen();
  await pause(random.between(beyondAnswersMs, 2 * beyondAnswersMs), signal);
  await proxy.mend();
}

function pickSlot({ slots }: World, random: Random): WorkerSlot {
  return random.pick(slots);
}
