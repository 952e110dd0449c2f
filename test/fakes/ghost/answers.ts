import type { Behaviour } from '../../support/fakeReceiver.ts';
import { jsonAnswer } from '../../support/protocolFake.ts';

/** What Ghost says of a post that it does not take. */
export function invalidPost(context: string): Behaviour {
  return error(422, 'ValidationError', 'Validation error, cannot save post.', context);
}

/** An error in Ghost's own form. */
export function error(
  status: number,
  type: string,
  message: string,
  context: string | null = null,
  code: string | null = null,
): Behaviour {
  const id = '25229bf0-ed14-11f1-9a42-5be03ce00000';
  const rest = { details: null, property: null, help: null, id, ghostErrorCode: null };
  return jsonAnswer(status, { errors: [{ message, context, type, code, ...rest }] });
}

/** The page of a Ghost that starts or is down for maintenance. */
export function maintenancePage(): Behaviour {
  const body = '<html><body><h1>We’ll be right back.</h1><p>We’re busy updating our site.</p></body></html>';
  return { kind: 'answer', status: 503, headers: { 'Content-Type': 'text/html' }, body };
}
