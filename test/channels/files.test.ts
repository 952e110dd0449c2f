import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Post } from '../../src/channels/Channel.ts';
import { files } from '../../src/channels/files.ts';
import type { PublishOutcome } from '../../src/channels/PublishOutcome.ts';
import { examplePost } from '../support/examplePost.ts';
import { noMessages } from '../support/outlet.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headway-files-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function publish(overrides: Partial<Post> = {}): Promise<PublishOutcome> {
  const send = () => Promise.reject(new Error('a folder needs no network'));
  const { signal } = new AbortController();
  return files.publish(
    examplePost(overrides),
    { folder },
    { account: null, sendingAt: new Date(0), send, exchangeMessage: noMessages, signal },
  );
}

async function pathFor(overrides: Partial<Post>): Promise<string> {
  const outcome = await publish(overrides);
  return outcome.kind === 'succeeded' ? String(outcome.remoteId) : outcome.kind;
}

async function textFor(overrides: Partial<Post>): Promise<string> {
  return readFile(join(folder, await pathFor(overrides)), 'utf8');
}

describe('a published file', () => {
  it('is Markdown with front matter, quoted throughout', async () => {
    const outcome = await publish();

    const path = '2026/09/2026-09-07-the-queue-makes-headway-0d4c5a1e.md';
    const remoteUrl = pathToFileURL(join(folder, path)).href;
    expect(outcome).toEqual({ kind: 'succeeded', remoteId: path, remoteUrl });
    expect(await readFile(join(folder, path), 'utf8')).toBe(`---
title: "The queue makes headway"
date: "2026-09-07T07:00:00.000Z"
url: "https://news.test/a/1?x=1"
author: "Ada Example"
tags:
  - "release"
  - "queue"
feed: "blog"
summary: "How it does."
image: "https://news.test/a/1.png"
id: "0d4c5a1e-6b1f-4f6e-9a57-1c2f3e4d5b6a"
---

The queue makes headway, one article at a time.

<https://news.test/a/1?x=1>
`);
  });

  it('leaves out what the article does not have', async () => {
    const text = await textFor({ url: null, author: null, summary: null, imageUrl: null, tags: [] });

    expect(text.split('\n')).toEqual([
      '---',
      'title: "The queue makes headway"',
      'date: "2026-09-07T07:00:00.000Z"',
      'feed: "blog"',
      'id: "0d4c5a1e-6b1f-4f6e-9a57-1c2f3e4d5b6a"',
      '---',
      '',
      'The queue makes headway, one article at a time.',
      '',
    ]);
  });

  it.each([
    'no',
    '12:30',
    '---',
    'a "quoted" \\ title: #1',
    'two\nlines',
    'x'.repeat(500),
    '*alias',
    '\u2028\u0007',
  ])('keeps the title %j as it is', async title => {
    const text = await textFor({ title });

    const [, frontMatter = ''] = text.split(/^---$/m);
    expect(parse(frontMatter)).toMatchObject({ title });
    expect(parse(frontMatter, { version: '1.1' })).toMatchObject({ title });
  });

  it('keeps a link from ending early', async () => {
    const text = await textFor({ url: 'https://news.test/a b>c' });

    expect(text).toContain('\n<https://news.test/a%20b%3Ec>\n');
  });

  it('is replaced, with nothing left beside it, when the same publication is written again', async () => {
    const path = await pathFor({ text: 'before' });
    const again = await pathFor({ text: 'after' });

    expect(again).toBe(path);
    expect(await readFile(join(folder, path), 'utf8')).toContain('after');
    expect(await readdir(join(folder, '2026/09'))).toHaveLength(1);
  });
});

describe('the path of a file', () => {
  it.each([
    ['Größe, Ærø & Łódź!', 'grosse-aero-lodz'],
    ['Ünïcödé ﬁne print', 'unicode-fine-print'],
    ['İstanbul’da IŞIK', 'istanbulda-isik'],
    ['../../etc/passwd', 'etc-passwd'],
    ['C:\\nul', 'c-nul'],
    ['日本語', 'article'],
    ['   ', 'article'],
    ['', 'article'],
    ['---', 'article'],
    [`${'a'.repeat(59)} b`, 'a'.repeat(59)],
    ['b'.repeat(80), 'b'.repeat(60)],
  ])('makes a plain word of the title "%s"', async (title, slug) => {
    expect(await pathFor({ title })).toBe(`2026/09/2026-09-07-${slug}-0d4c5a1e.md`);
  });

  it.each(['UTC', 'Asia/Kolkata', 'America/St_Johns', 'Pacific/Kiritimati'])(
    'does not depend on the zone: %s',
    async zone => {
      const before = process.env.TZ;
      process.env.TZ = zone;

      const late = await pathFor({ postCreatedAt: '2026-12-31T23:59:59.999Z' });
      const early = await pathFor({ postCreatedAt: '2027-01-01T00:00:00.000Z' });
      if (before === undefined) delete process.env.TZ;
      else process.env.TZ = before;

      expect(late).toMatch(/^2026\/12\/2026-12-31-/);
      expect(early).toMatch(/^2027\/01\/2027-01-01-/);
    },
  );
});

describe('a folder', () => {
  it('is the target, as a whole path', () => {
    const settings = files.settings.parse({ folder: 'outbox' });

    expect(settings).toEqual({ folder: resolve('outbox') });
    expect(files.destination(settings, null)).toEqual({ instance: '', target: resolve('outbox') });
  });

  it('has to be named', () => {
    expect(files.settings.safeParse({ folder: '' }).success).toBe(false);
  });
});
