import { describe, expect, it } from 'vitest';
import { importsApi } from '../../src/http/importsApi.ts';
import { createImport } from '../imports/scene.ts';
import { useDatabase } from '../support/database.ts';
import { createFeed, createWorkspace } from '../support/factories.ts';

describe('importsApi', () => {
  const database = useDatabase();

  const ask = async (path: string) => {
    const answer = await importsApi(database.db, '/api/v1').request(`/api/v1${path}`);
    return { status: answer.status, body: await answer.json() };
  };

  async function importInto(workspaceName: string, columns: Readonly<Record<string, unknown>> = {}) {
    const workspaceId = await createWorkspace(database.db, { name: workspaceName });
    const feedId = await createFeed(database.db, workspaceId);
    const articles = [{ title: 'A' }, { title: 'B' }, { title: 'C' }];
    return createImport(database.db, { workspaceId, feedId, articles }, columns);
  }

  it('says how far an import is, and which rows were bad', async () => {
    const problems = [{ row: 4, reason: 'the title is missing' }];
    const columns = {
      rows_done: 2,
      rows_added: 1,
      rows_bad: 1,
      queued: 1,
      problems: JSON.stringify(problems),
    };
    const id = await importInto('news', columns);

    const one = await ask(`/imports/${id}`);
    const all = await ask('/imports');

    expect(one).toMatchObject({
      status: 200,
      body: {
        id,
        kind: 'csv',
        source: 'articles.csv',
        status: 'pending',
        rows: { total: 3, done: 2, added: 1, known: 0, bad: 1 },
        queued: 1,
        problems,
        finishedAt: null,
      },
    });
    expect(all).toEqual({ status: 200, body: [one.body] });
  });

  it('lists the imports of the workspace that is named, and asks for a name where there are several', async () => {
    const id = await importInto('news');
    await importInto('sports');

    const named = await ask('/imports?workspace=news');
    const unnamed = await ask('/imports');
    const unknown = await ask('/imports?workspace=nobody');

    expect(named.body).toMatchObject([{ id }]);
    expect(unnamed).toEqual({ status: 400, body: { error: 'name one with ?workspace=: news, sports' } });
    expect(unknown).toEqual({
      status: 404,
      body: { error: 'there is no workspace "nobody": news, sports' },
    });
  });

  it.each(['0', '7', 'x', '99999999999', '2147483648'])('knows no import %s', async given => {
    await importInto('news');

    const answer = await ask(`/imports/${given}`);

    expect(answer).toEqual({ status: 404, body: { error: `there is no import ${given}` } });
  });
});
