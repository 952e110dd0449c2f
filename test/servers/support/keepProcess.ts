// Run by test/servers/keep.test.ts: a test run in small. It keeps a server with a worker, says the server's process
// group and stays until it is killed.

import { keep } from '../../../scripts/servers/keep.ts';
import { until } from '../../support/until.ts';

const [folder = ''] = process.argv.slice(2);
const server = keep({ command: 'sh', args: ['-c', 'echo $$; sleep 600 & sleep 600'], folder });
await until(() => server.printed().endsWith('\n'));
process.stdout.write(server.printed());
await server.ended;
