import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/Database.ts';
import { readSetting, writeSettingOnce } from '../models/settings.ts';
import { createLoginThrottle } from './loginThrottle.ts';
import { hashPassword, isPassword, type PasswordHash, passwordHash } from './passwordHash.ts';

export const adminUser = 'admin';

export type LoginAttempt = { user: string; password: string; address: string };

/** `throttled`: the address has failed too often and has to wait, whatever it brings. */
export type LoginVerdict = 'accepted' | 'refused' | 'throttled';

export type AdminPassword = {
  /** The new password, to be printed once and never again; null: there was one, or it was configured. */
  generated: string | null;
  check(attempt: LoginAttempt): Promise<LoginVerdict>;
};

const settingKey = 'admin_password';
const generatedBytes = 18;

/**
 * The password of the one login, `admin`: the configured one (HEADWAY_ADMIN_PASSWORD), or, where that is
 * null, one that is made at the first start and kept only as a hash. Of several processes that start at
 * once one makes it; the others use its hash. Throws if the database cannot be asked, or if what it keeps
 * is no hash.
 */
export async function openAdminPassword({
  db,
  configured,
  clock,
}: {
  db: Database;
  configured: string | null;
  clock: Clock;
}): Promise<AdminPassword> {
  const { generated, isRight } = await passwordSource(db, configured, clock.now());
  const isRightAgain = remembering(isRight);
  const throttle = createLoginThrottle();
  return {
    generated,
    async check({ user, password, address }) {
      if (throttle.isThrottled(address, clock.now())) return 'throttled';
      // Both are always checked: the time must not tell which one was wrong.
      const isPasswordRight = await isRightAgain(password);
      if (isPasswordRight && user === adminUser) return 'accepted';
      throttle.recordFailure(address, clock.now());
      return 'refused';
    },
  };
}

type IsRight = (password: string) => Promise<boolean>;

async function passwordSource(db: Database, configured: string | null, now: Date) {
  if (configured !== null) {
    const sameAsConfigured = comparer(configured);
    return { generated: null, isRight: async (password: string) => sameAsConfigured(password) };
  }
  const { generated, hash } = await ensureHash(db, now);
  return { generated, isRight: (password: string) => isPassword(password, hash) };
}

async function ensureHash(
  db: Database,
  now: Date,
): Promise<{ generated: string | null; hash: PasswordHash }> {
  const kept = await readSetting(db, settingKey);
  if (kept !== null) return { generated: null, hash: passwordHash.parse(kept) };

  const password = randomBytes(generatedBytes).toString('base64url');
  const hash = await hashPassword(password);
  if (await writeSettingOnce(db, settingKey, hash, now)) return { generated: password, hash };
  return { generated: null, hash: passwordHash.parse(await readSetting(db, settingKey)) };
}

/** Browsers send the password with every request, and a hash takes 50 ms: the last right one is known. */
function remembering(isRight: IsRight): IsRight {
  let isKnown: (password: string) => boolean = () => false;
  return async password => {
    if (isKnown(password)) return true;
    if (!(await isRight(password))) return false;
    isKnown = comparer(password);
    return true;
  };
}

/** Compares in constant time, whatever the lengths, and keeps no password in memory. */
function comparer(secret: string): (candidate: string) => boolean {
  const key = randomBytes(32);
  const digest = (text: string) => createHmac('sha256', key).update(text).digest();
  const wanted = digest(secret);
  return candidate => timingSafeEqual(digest(candidate), wanted);
}
