import type { ServerName } from './servers.ts';

/** How one server comes onto this machine. */
export type Installer = {
  readonly name: ServerName;
  /** Names its folder in the cache: whatever makes an installed copy useless (version, CPU, Node) stands in it. */
  readonly edition: string;
  /** What the system must have besides; null: nothing. */
  readonly system: SystemPackages | null;
  /** Fills an empty folder, which is moved afterwards. Throws with a reason that people understand. */
  install(folder: string): Promise<void>;
};

export type SystemPackages = {
  /** Debian's names; none of them may start a daemon. */
  readonly packages: readonly string[];
  arePresent(): Promise<boolean>;
};
