import type { FeedItem } from '../../src/ingestion/FeedItem.ts';

const summary = words(45);
const content = `<p>${words(160)}</p>`;
let made = 0;

/**
 * Items as a blog gives them, about 1.5 kB each, none like any before: each with a guid and a URL, which are two
 * keys, dated a second after the one before.
 */
export function newItems(count: number): FeedItem[] {
  return Array.from({ length: count }, () => newItem(++made));
}

function newItem(place: number): FeedItem {
  const url = `https://news.example/articles/${place}/what-happened-today`;
  return {
    guid: `urn:news:${place}`,
    url,
    title: `What happened today in the town by the river, part ${place}`,
    summary: `${place} ${summary}`,
    content,
    author: 'A. Writer',
    tags: ['town', 'river', 'news'],
    imageUrl: `${url}/picture.jpg`,
    imageAlt: 'The river at dawn',
    language: 'en',
    publishedAt: new Date(Date.UTC(2026, 9, 1) + place * 1_000),
    source: null,
  };
}

function words(count: number): string {
  return Array.from({ length: count }, (_, place) => `word${place}`).join(' ');
}
