import { describe, expect, it } from 'vitest';
import { didYouMean } from '../src/didYouMean.ts';

describe('didYouMean', () => {
  it.each([
    ['webhok', 'webhook'],
    ['fiels', 'files'],
    ['bto', 'bot'],
    ['Files', 'files'],
    ['europe/berln', 'Europe/Berlin'],
  ])('takes %s for %s', (text, expected) => {
    expect(didYouMean(text, ['webhook', 'files', 'bot', 'Europe/Berlin'])).toBe(
      ` (did you mean "${expected}"?)`,
    );
  });

  it.each(['', 'x', 'colour', 'telegram'])('has no guess for "%s"', text => {
    expect(didYouMean(text, ['webhook', 'files', 'bot'])).toBe('');
  });
});
