import { parentPort } from 'node:worker_threads';
import { type DocumentReading, type FeedDocument, readDocument } from './readDocument.ts';

// A thread's own file: started by ParserThread, imported by nobody.

/** What the thread says: `fault` is ours, not the document's. */
export type ParserReply =
  | { kind: 'ready' }
  | { kind: 'read'; reading: DocumentReading }
  | { kind: 'fault'; error: unknown };

const port = parentPort;
if (port === null) throw new Error('this is the file of a thread, not of a process');
const reply = (message: ParserReply) => port.postMessage(message);

port.on('message', (document: FeedDocument) => {
  try {
    reply({ kind: 'read', reading: readDocument(document) });
  } catch (error) {
    reply({ kind: 'fault', error });
  }
});
reply({ kind: 'ready' });
