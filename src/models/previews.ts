import { type Database, query } from '../database/Database.ts';

/** What a post for a channel can be composed of, whether or not the article is routed there. */
export type PreviewSource = {
  /** Of the route article that it was asked for. */
  channelId: number;
  title: string;
  /** As it was routed, or edited by a person. */
  text: string;
  postKey: string;
  postCreatedAt: Date;
  url: string | null;
  summary: string | null;
  author: string | null;
  tags: readonly string[];
  imageUrl: string | null;
  imageAlt: string | null;
  language: string | null;
  articlePublishedAt: Date;
  feed: string;
  articleTitle: string;
  /** Of the route from its feed to the other channel; null: there is none. */
  template: string | null;
};

/** The source of a preview of a route article, as `channelId` would have it; null: there is no such article. */
export async function loadPreviewSource(
  db: Database,
  { routeArticleId, channelId }: { routeArticleId: number; channelId: number },
): Promise<PreviewSource | null> {
  const [row] = await query<PreviewSource>(db, selectSource, [routeArticleId, channelId]);
  return row ?? null;
}

// An article that is routed to both channels shows what was made of it for the one that is asked for.
const selectSource = {
  name: 'load-preview-source',
  text: `
    select r.channel_id as "channelId", r.title, r.text, r.post_key as "postKey",
           r.post_created_at as "postCreatedAt", t.title as "articleTitle", t.url, t.summary, t.author, t.tags,
           t.image_url as "imageUrl", t.image_alt as "imageAlt", t.language,
           t.published_at as "articlePublishedAt", coalesce(f.name, '') as feed,
           (select o.template from routes o
            where o.feed_id = t.feed_id and o.channel_id = $2 and o.archived_at is null
            order by o.id limit 1) as template
    from route_articles asked
    join articles t on t.id = asked.article_id
    join route_articles r on r.article_id = t.id
    left join feeds f on f.id = t.feed_id
    where asked.id = $1
    order by r.channel_id = $2 desc, r.id = $1 desc limit 1`,
};
