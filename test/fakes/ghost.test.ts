import { afterEach, describe, expect, it } from 'vitest';
import { sendingAt } from '../channels/openChannel.ts';
import { type OpenFake, openProtocolFake } from '../support/protocolFake.ts';
import { describeGhost } from './ghost/describeGhost.ts';
import { matchesFilter } from './ghost/filter.ts';
import { ghostAdminKey } from './ghost/token.ts';
import { fakeGhost } from './ghost.ts';

// What is stated was seen on Ghost 5.130.6, request by request.
const opened: OpenFake[] = [];

afterEach(async () => {
  for (const { close } of opened.splice(0)) await close();
});

describeGhost('the fake Ghost', async () => {
  const open = await openProtocolFake(fakeGhost());
  opened.push(open);
  return { url: open.url, adminApiKey: ghostAdminKey, now: () => sendingAt };
});

describe("the fake Ghost's filter", () => {
  const stored = { slug: 'a-b', canonical_url: "https://news.test/it's?x=1,2" };

  it.each([
    ["slug:'a-b'", true],
    ["slug:'a'", false],
    ["slug:'x',canonical_url:['https://x.test','https://news.test/it\\'s?x=1,2']", true],
    ["canonical_url:['https://x.test']", false],
  ])('reads %s', (filter, matches) => {
    expect(matchesFilter(filter, stored)).toBe(matches);
  });

  it.each(["slug:a'b", "slug:'a'b'", 'slug'])('refuses %s', filter => {
    expect(() => matchesFilter(filter, stored)).toThrow('not a filter');
  });
});
