import { expect, it } from 'vitest';
import { useDatabase } from '../support/database.ts';

const database = useDatabase();
it('has tables', async () => {
  expect(await database.db('workspaces').select()).toEqual([]);
  console.log(await database.db('migrations').select());
});
