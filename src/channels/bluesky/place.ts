import type { BlueskySession } from './account.ts';

/** Under which name a post is known, and where people read it. */
export function placeOf(
  { did, handle }: BlueskySession,
  key: string,
): { remoteId: string; remoteUrl: string } {
  // What a server says of a handle that no longer leads to its account.
  const who = handle === 'handle.invalid' ? did : handle;
  return {
    remoteId: `at://${did}/app.bsky.feed.post/${key}`,
    remoteUrl: `https://bsky.app/profile/${who}/post/${key}`,
  };
}
