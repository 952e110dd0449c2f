import type { AccountRow, ChannelRow, FeedRow, RouteRow, WorkspaceRow } from './configuration.ts';

// What an apply writes. An update states the whole row, so it also takes one out of the archive; a null `paused`
// leaves that as it is: it is also set by hand.

export type WorkspaceValues = Written<WorkspaceRow>;
export type AccountValues = Written<AccountRow> & { workspaceId: number };
export type ChannelValues = Written<ChannelRow> & { workspaceId: number; accountId: number | null };
export type FeedValues = Written<FeedRow> & { workspaceId: number };
export type RouteValues = Written<RouteRow> & { workspaceId: number };

type Given = 'id' | 'workspace' | 'isArchived' | 'account' | 'feed' | 'channel' | 'paused';
type Written<Row> = Omit<Row, Given> &
  (Row extends { paused: boolean } ? { paused: boolean | null } : unknown);
