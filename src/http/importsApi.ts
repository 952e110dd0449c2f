import { Hono } from 'hono';
import type { Database } from '../database/Database.ts';
import { importJson } from '../imports/importJson.ts';
import { findImport, newestImports } from '../models/imports.ts';
import { listWorkspaces } from '../models/workspaces.ts';

const mostListed = 50;
const mostId = 2_147_483_647;

/**
 * `GET /imports` (`?workspace=NAME` where there are several), the newest 50 first, and `GET /imports/ID`: how far
 * each is. Read only, and without any protection of its own.
 */
export function importsApi(db: Database, basePath: string): Hono {
  const api = new Hono().basePath(basePath);
  api.get('/imports', async context => {
    const name = context.req.query('workspace');
    const workspaces = await listWorkspaces(db);
    const chosen = name === undefined ? workspaces : workspaces.filter(workspace => workspace.name === name);
    const [workspace] = chosen;
    const names = workspaces.map(each => each.name).join(', ');
    if (workspace === undefined) {
      return context.json({ error: `there is no workspace ${JSON.stringify(name ?? '')}: ${names}` }, 404);
    }
    if (chosen.length > 1) {
      return context.json({ error: `name one with ?workspace=: ${names}` }, 400);
    }
    return context.json((await newestImports(db, workspace.id, mostListed)).map(importJson));
  });
  api.get('/imports/:id', async context => {
    const given = context.req.param('id');
    const id = /^\d{1,10}$/.test(given) ? Number(given) : 0;
    const found = id > 0 && id <= mostId ? await findImport(db, id) : null;
    if (found === null) return context.json({ error: `there is no import ${given}` }, 404);
    return context.json(importJson(found));
  });
  return api;
}
