import { describe, expect, it } from 'vitest';
import { findHashtags } from '../../src/text/findHashtags.ts';

describe('findHashtags', () => {
  it.each<[string, string[]]>([
    ['', []],
    ['no tag # here', []],
    ['#one', ['one']],
    ['#one #two\n#three', ['one', 'two', 'three']],
    ['(#one), “#two”. #three!', ['one', 'two', 'three']],
    [
      '#größe #MachineLearning #日本語 #a1 #1a #snake_case',
      ['größe', 'MachineLearning', '日本語', 'a1', '1a', 'snake_case'],
    ],
    ['#gro\u0308ße', ['gro\u0308ße']],
    ['#2026 #1_2 #_', []],
    ['#️⃣ #️⃣abc', []],
    ['C# F#minor &#39; ##x a/#b', []],
    ['#one-two #C++', ['one', 'C']],
    ['https://a.test/#one https://a.test/x#two #three', ['three']],
    ['https://a.test/(#one', []],
  ])('finds in %j', (text, expected) => {
    expect(findHashtags(text).map(({ tag }) => tag)).toEqual(expected);
  });

  it('tells where they are, with the sign, in UTF-16 units', () => {
    expect(findHashtags('😀 #one')).toEqual([{ tag: 'one', start: 3, end: 7 }]);
  });
});
