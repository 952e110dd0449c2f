import { type Database, query } from '../database/Database.ts';

/** What an edit by the feed does to an approval: a person is asked again, or it stands. */
export type EditsRule = 'ask' | 'follow';

export type Route = {
  id: number;
  channelId: number;
  approval: 'auto' | 'manual';
  priority: number;
  /** Case-insensitive substrings: one must occur; empty: all pass. */
  include: readonly string[];
  /** None of them may occur. */
  exclude: readonly string[];
  template: string;
};

/** The routes that a feed's new articles take: neither they nor their channels are archived. */
export async function activeRoutes(db: Database, feedId: number): Promise<Route[]> {
  return query<Route>(db, selectActiveRoutes, [feedId]);
}

const selectActiveRoutes = {
  name: 'active-routes',
  text: `
    select r.id, r.channel_id as "channelId", r.approval, r.priority, r.include, r.exclude, r.template
    from routes r join channels c on c.id = r.channel_id
    where r.feed_id = $1 and r.archived_at is null and c.archived_at is null
    order by r.id`,
};
