import { expect, it } from 'vitest';
import { withoutControls } from '../../src/text/withoutControls.ts';

it.each([
  ['', ''],
  ['plain', 'plain'],
  ['two\nlines\tand a tab', 'two\nlines\tand a tab'],
  ['\r\nas Windows does\r', '\nas Windows does\n'],
  ['\u001b[31mred\u001b[0m', '[31mred[0m'],
  ['\u001b]0;a title\u0007', ']0;a title'],
  ['\u0000\u0008\u007f\u009b31m', '31m'],
  ['abc\u202edef', 'abcdef'],
  ['שלום\u200f and \u200ethat', 'שלום\u200f and \u200ethat'],
  ['👩‍👩‍👧', '👩‍👩‍👧'],
])('takes what steers a terminal out of %j', (text, expected) => {
  expect(withoutControls(text)).toBe(expected);
});
