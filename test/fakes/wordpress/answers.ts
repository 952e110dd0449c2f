import type { Behaviour } from '../../support/fakeReceiver.ts';
import { jsonAnswer } from '../../support/protocolFake.ts';

/** An error in WordPress's own form. */
export function error(status: number, code: string, message: string): Behaviour {
  return jsonAnswer(status, { code, message, data: { status } });
}

/** A page of HTML where JSON was asked for. */
export function page(status: number, title: string, headers: Record<string, string> = {}): Behaviour {
  const body = `<!DOCTYPE html><html><head><title>${title}</title></head><body></body></html>`;
  return {
    kind: 'answer',
    status,
    headers: { 'Content-Type': 'text/html; charset=UTF-8', ...headers },
    body,
  };
}

/** The answer of a WordPress that is being updated. */
export function maintenance(): Behaviour {
  const message = 'Briefly unavailable for scheduled maintenance. Check back in a minute.';
  const body = { code: 'wp_die', message, data: { status: 503 }, additional_errors: [] };
  return jsonAnswer(503, body, { 'Retry-After': '600' });
}

/** The answer of a firewall in front of the site, which knows nothing of its REST API. */
export function firewall(status: number, headers: Record<string, string> = {}): Behaviour {
  return page(status, 'Request blocked', headers);
}
