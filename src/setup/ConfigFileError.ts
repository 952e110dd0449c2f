/** Everything that is wrong with a `config.yaml`, at once: nothing of such a file is applied. */
export class ConfigFileError extends Error {
  /** One line each: `file:line: path: what is wrong`, in the file's order. Never a secret. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigFileError';
    this.problems = problems;
  }
}
