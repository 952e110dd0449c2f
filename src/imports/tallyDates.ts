import type { DateDoubts } from '../ingestion/toFeedItem.ts';

/** What was met while reading the dates of a file, however many there are. */
export type DateTally = {
  /** Where to write it down for one article. */
  doubtsOf<Result>(read: (doubts: DateDoubts) => Result): Result;
  /** What a person should know of it; nothing where there is nothing. */
  notes(): string[];
};

/** `zone`: the one in which dates without an offset are read. */
export function tallyDates(zone: string): DateTally {
  let withoutOffset = 0;
  let unreadable = 0;
  let example = '';
  return {
    doubtsOf(read) {
      const doubts: DateDoubts = { withoutOffset: 0, unreadable: [] };
      const result = read(doubts);
      withoutOffset += doubts.withoutOffset;
      unreadable += doubts.unreadable.length;
      example ||= doubts.unreadable[0]?.slice(0, 60) ?? '';
      return result;
    },
    notes: () => [
      ...(withoutOffset > 0 ? [`dates that name no offset, read in ${zone}: ${withoutOffset}`] : []),
      ...(unreadable > 0
        ? [`dates that cannot be read, so that their articles come last: ${unreadable}, such as "${example}"`]
        : []),
    ],
  };
}
