import { Parser } from 'htmlparser2';

/** Told what an XML document holds, in its order; `path`: the names of the open elements, the root first. */
export type XmlHandler<Found> = {
  onOpen(name: string, attributes: Readonly<Record<string, string>>, path: readonly string[]): void;
  onText(text: string): void;
  onClose(name: string, path: readonly string[]): void;
  /** What was found since it was asked last. */
  take(): Found[];
};

const mostDepth = 100;
const mostAttributes = 256;
/** Without an end of a tag, a comment or a section: more is kept by the parser until it comes. */
const mostPending = 5_000_000;

/**
 * Reads an XML document piece by piece, in bounded memory, and says what the handler found. No entities but XML's
 * own five are known: one that declares others is refused, so that nothing can grow. So is one that does not end:
 * a file that was cut off must not pass for a whole one.
 */
export async function* readXml<Found>(
  chunks: AsyncIterable<string>,
  { root, handler, what }: { root: string; handler: XmlHandler<Found>; what: string },
): AsyncGenerator<Found | { kind: 'unreadable'; reason: string }> {
  const path: string[] = [];
  let refusal: string | null = null;
  let pending = 0;
  let isAtEnd = false;
  let isWhole = false;
  const refuse = (reason: string) => {
    refusal ??= reason;
  };
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        pending = 0;
        if (path.length === 0 && name.toLowerCase() !== root)
          refuse(`it is no ${what}: it begins with <${name.slice(0, 40)}>`);
        if (path.length >= mostDepth) refuse(`its elements are nested more than ${mostDepth} deep`);
        if (Object.keys(attributes).length > mostAttributes)
          refuse(`an element has more than ${mostAttributes} attributes`);
        path.push(name);
        if (refusal === null) handler.onOpen(name, attributes, path);
      },
      ontext(text) {
        pending = 0;
        if (refusal === null && path.length > 0) handler.onText(text);
      },
      onclosetag(name) {
        pending = 0;
        if (refusal === null) handler.onClose(name, path);
        path.pop();
        // What is still open at the end of the text is closed by the parser itself.
        if (path.length === 0) isWhole ||= !isAtEnd;
      },
      onprocessinginstruction(_name, text) {
        if (/^!entity/i.test(text) || (/^!doctype/i.test(text) && text.includes('['))) refuse(ownEntities);
      },
    },
    { xmlMode: true },
  );
  for await (const chunk of chunks) {
    pending += chunk.length;
    parser.write(chunk);
    yield* handler.take();
    if (pending > mostPending) refuse('a tag, a comment or a section in it does not end');
    if (refusal !== null) return yield { kind: 'unreadable', reason: refusal };
  }
  isAtEnd = true;
  parser.end();
  const end = isWhole ? null : `it ends before </${root}>: it was cut off, or is no ${what}`;
  const reason = refusal ?? end;
  if (reason === null) yield* handler.take();
  else yield { kind: 'unreadable', reason };
}

const ownEntities =
  'it declares entities of its own, which are not read: they can be made to grow without end';
