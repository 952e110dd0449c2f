import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { openProxy, type TcpProxy } from './support/proxy.ts';
import { useFaultScene } from './support/scene.ts';

// A harness that cannot see a fault proves nothing: what it has to notice is done to it here.

const scene = useFaultScene();
const longAgo = new Date('2026-01-01T00:00:00Z');

async function publishedArticle() {
  const workspaceId = await scene.workspace();
  const news = await scene.channel(workspaceId, 'news');
  const id = await scene.article(news);
  const worker = await scene.worker();
  await scene.reached(id, 'published');
  await worker.stop();
  return { workspaceId, news, id };
}

const found = () => scene.expectInvariants({ isRunning: false, limitMs: 500 });

describe('expectInvariants', () => {
  it('finds nothing in a history that is as it should be', async () => {
    await publishedArticle();

    const history = await found();

    expect(history.transitions.map(({ toStatus }) => toStatus)).toEqual(['publishing', 'published']);
  });

  it('finds a post that was accepted twice', async () => {
    await publishedArticle();
    scene.publisher.setDedupes('news', false);
    await repeatPost();

    await expect(found()).rejects.toThrow(/I1: .*was accepted 2 times/);
  });

  it('finds a repeat that no unknown outcome allowed', async () => {
    await publishedArticle();
    await repeatPost();

    await expect(found()).rejects.toThrow(/I1: .*was repeated 1 times after 0 unknown outcomes/);
  });

  it('finds a post that the database forgot', async () => {
    await publishedArticle();
    await scene.db('publications').delete();

    await expect(found()).rejects.toThrow(/I1: .*has no publication/);
  });

  it('finds a publication that was never accepted', async () => {
    const { id } = await publishedArticle();
    await scene
      .db('publications')
      .where({ route_article_id: id })
      .update({ post: { postKey: 'another' } });

    await expect(found()).rejects.toThrow(/I1: .*was never accepted/);
  });

  it('finds what is in flight without a consumer, and not what has one', async () => {
    const { news } = await publishedArticle();
    const id = await scene.article(news);
    scene.publisher.behave('news', { kind: 'accept_then_hold' });
    const worker = await scene.worker();
    await scene.reached(id, 'publishing');

    await scene.expectInvariants({ limitMs: 500 });
    await worker.kill();

    await expect(found()).rejects.toThrow(/I2: .*no living consumer has it/);
  });

  it('finds a count that changed by itself', async () => {
    const { news } = await publishedArticle();
    const id = await scene.article(news);
    await scene.db('route_articles').where({ id }).update({ publish_attempts: 1 });

    await expect(found()).rejects.toThrow(/I3: the count changed by itself/);
  });

  it('finds an ended row that came back without a person', async () => {
    const { id } = await publishedArticle();
    await scene.db('route_articles').where({ id }).update({ publish_status: 'pending', sending_at: null });

    await expect(found()).rejects.toThrow(/I4: came back without a person/);
  });

  it('finds an end that nothing explains', async () => {
    const { news } = await publishedArticle();
    const id = await scene.article(news);
    await scene.db('route_articles').where({ id }).update({ publish_status: 'dead' });

    await expect(found()).rejects.toThrow(/ended without exactly one reason.*no row/s);
  });

  it('finds a cap that was passed', async () => {
    const { workspaceId } = await publishedArticle();
    await scene.db('workspaces').where({ id: workspaceId }).update({ daily_cap: 0 });

    await expect(found()).rejects.toThrow(/I5: workspace \d+ published 1 .* with a cap of 0/);
  });

  it('finds an article that waits for its turn while nothing moves', async () => {
    const workspaceId = await scene.workspace({ created_at: longAgo });
    await scene.article(await scene.channel(workspaceId, 'news'));

    const stuck = scene.expectInvariants({ limitMs: 500 });

    await expect(stuck).rejects.toThrow(/I6: 1 articles of workspace/);
  });
});

/** Posts the newest post once more, byte for byte. */
async function repeatPost() {
  const post = scene.publisher.posts.at(-1);
  await fetch(`${scene.publisher.url}/news`, {
    method: 'POST',
    headers: { 'webhook-id': post?.webhookId ?? '' },
    body: post?.body ?? '',
  });
}

describe('the proxy', () => {
  let echo: Server;
  let heard: string;
  let proxy: TcpProxy;
  let client: Socket;

  beforeEach(async () => {
    heard = '';
    echo = createServer(socket => {
      socket
        .on('error', () => {})
        .on('data', chunk => {
          heard += chunk;
          socket.write(chunk);
        });
    }).listen(0, '127.0.0.1');
    await once(echo, 'listening');
    const address = echo.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    proxy = await openProxy(`redis://127.0.0.1:${port}`);
    client = await connected();
  });

  afterEach(async () => {
    client.destroy();
    await proxy.close();
    echo.close();
  });

  async function connected(): Promise<Socket> {
    const socket = connect(Number(new URL(proxy.url).port), '127.0.0.1').on('error', () => {});
    await once(socket, 'connect');
    return socket;
  }

  const answered = async (socket: Socket, question: string) => {
    socket.write(question);
    const [answer] = await once(socket, 'data', { signal: AbortSignal.timeout(2_000) });
    return String(answer);
  };

  it('passes both sides on, and counts connections', async () => {
    expect(await answered(client, 'ping')).toBe('ping');
    expect(proxy.connections()).toBe(1);
  });

  it('drops connections, refuses new ones, and takes them again once mended', async () => {
    const closed = once(client, 'close');
    await proxy.drop();
    await closed;

    await expect(connected()).rejects.toThrow('ECONNREFUSED');
    await proxy.mend();
    expect(await answered(await connected(), 'ping')).toBe('ping');
  });

  it('resets connections, and goes on accepting', async () => {
    await answered(client, 'ping');
    const broken = once(client, 'error');
    proxy.reset();

    expect(await broken).toMatchObject([{ code: 'ECONNRESET' }]);
    expect(await answered(await connected(), 'ping')).toBe('ping');
  });

  it('swallows both directions of old and new connections, and resets them once mended', async () => {
    await answered(client, 'ping');
    proxy.halfOpen();
    const fresh = await connected();
    client.write('lost');
    fresh.write('lost');
    await until(() => proxy.swallowed() === 2);
    const closed = [client, fresh].map(socket => new Promise(resolve => socket.once('close', resolve)));
    expect(client.destroyed || fresh.destroyed).toBe(false);

    await proxy.mend();
    await Promise.all(closed);

    expect(heard).toBe('ping');
    expect(await answered(await connected(), 'ping')).toBe('ping');
  });

  it('swallows answers alone', async () => {
    proxy.swallowAnswers();
    client.write('a question');

    await until(() => heard === 'a question');
    expect(client.bytesRead).toBe(0);
  });

  it('swallows the end of a connection too, while it is half open', async () => {
    await answered(client, 'ping');
    proxy.halfOpen();
    client.destroy();
    await once(client, 'close');

    expect(proxy.connections()).toBe(1);
  });

  it('holds back what it passes on', async () => {
    proxy.delay(300);
    const askedMs = performance.now();

    expect(await answered(client, 'ping')).toBe('ping');
    expect(performance.now() - askedMs).toBeGreaterThanOrEqual(590);
  });

  it('passes an orderly end on', async () => {
    await answered(client, 'ping');
    client.end('bye');

    await until(() => heard === 'pingbye');
    await until(() => proxy.connections() === 0);
  });
});

describe('the saboteur', () => {
  it('shifts the clock of a process while it runs', async () => {
    const hourMs = 3_600_000;
    await scene.workspace({ tick_interval_ms: 86_400_000 });
    const worker = await scene.worker({ clockOffsetMs: 0 });
    const { time: before = '' } = await worker.logged('started');
    await worker.shiftClock(hourMs);
    await worker.stop();

    const after = worker.lines.at(-1);
    expect(Date.parse(String(after?.time)) - Date.parse(String(before))).toBeGreaterThan(hourMs);
  });

  it.each(['40001', '53100'])('lets the server fail a statement with %s', async code => {
    const workspaceId = await scene.workspace();
    const id = await scene.article(await scene.channel(workspaceId, 'news'));
    const faults = [{ when: 'before', statement: 'insert-intent', do: 'fail', code }] as const;
    const worker = await scene.worker({ faults });

    expect(await worker.struck()).toEqual(['saboteur: fail before insert-intent']);
    await until(async () => (await scene.row(id)).publish_status !== 'publishing');
  });

  it('loses the answer to a commit that the server has done', async () => {
    const workspaceId = await scene.workspace();
    const id = await scene.article(await scene.channel(workspaceId, 'news'));
    const faults = [{ when: 'after', commitOf: 'insert-intent', do: 'destroy' }] as const;
    const worker = await scene.worker({ faults });

    await worker.struck();
    const published = await scene.reached(id, 'published');

    // The product undoes such a gate, since it has sent nothing.
    expect(published.publish_attempts).toBe(1);
    expect(worker.isRunning).toBe(true);
  });
});
