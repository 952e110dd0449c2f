/** What a command ends with when it could not do its work: 1 failed, 2 wrong use. */
export class CliError extends Error {
  override name = 'CliError';
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Wrong use: exit code 2. */
export function wrongUse(message: string): CliError {
  return new CliError(message, 2);
}

/** It could not be done: exit code 1. */
export function failed(message: string): CliError {
  return new CliError(message, 1);
}
