const maxLength = 200;

/** A name that is not taken: the wanted one, or that with the next free number behind it. */
export function uniqueName(wanted: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : ` ${number}`;
    const name = `${wanted.slice(0, maxLength - suffix.length).trimEnd()}${suffix}`;
    if (!taken.has(name)) return name;
  }
}
