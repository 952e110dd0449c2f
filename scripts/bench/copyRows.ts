import type pg from 'pg';

/**
 * Runs a `COPY … FROM STDIN` with all of its text in hand, as fast as the server takes it. The client must not
 * be in pipeline mode, which lets nothing but plain statements through.
 */
export function copyRows(client: pg.Client, statement: string, text: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    let failure: Error | null = null;
    const copy = {
      submit(connection: pg.Connection) {
        connection.query(statement);
      },
      handleCopyInResponse(connection: Connection) {
        connection.sendCopyFromChunk(text);
        connection.endCopyFrom();
      },
      handleCommandComplete() {},
      handleError(error: Error) {
        failure = error;
        // A connection that broke gets no further.
        reject(error);
      },
      handleReadyForQuery() {
        if (failure === null) resolve();
      },
    };
    client.query(copy);
  });
}

// What pg's own type leaves out.
type Connection = { sendCopyFromChunk(chunk: Buffer): void; endCopyFrom(): void };
