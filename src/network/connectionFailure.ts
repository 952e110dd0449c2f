import { addressRefused } from './guardedAgent.ts';

/** Why a connection or an exchange on it ended without a whole answer. */
export type ConnectionFailure =
  | 'address_refused'
  | 'dns_failed'
  | 'connection_refused'
  | 'connection_timeout'
  | 'connection_reset'
  | 'tls_failed'
  | 'response_timeout'
  | 'unreadable_answer';

const failureOfCode: Readonly<Record<string, ConnectionFailure>> = {
  [addressRefused]: 'address_refused',
  ENOTFOUND: 'dns_failed',
  ENODATA: 'dns_failed',
  ECONNREFUSED: 'connection_refused',
  EHOSTUNREACH: 'connection_refused',
  ENETUNREACH: 'connection_refused',
  EADDRNOTAVAIL: 'connection_refused',
  ETIMEDOUT: 'connection_timeout',
  UND_ERR_CONNECT_TIMEOUT: 'connection_timeout',
  ECONNRESET: 'connection_reset',
  ECONNABORTED: 'connection_reset',
  EPIPE: 'connection_reset',
  UND_ERR_SOCKET: 'connection_reset',
  UND_ERR_HEADERS_TIMEOUT: 'response_timeout',
  UND_ERR_BODY_TIMEOUT: 'response_timeout',
  EPROTO: 'tls_failed',
};

const failureOfCodePattern: readonly [RegExp, ConnectionFailure][] = [
  [/^EAI_/, 'dns_failed'],
  [
    /^ERR_(TLS|SSL)_|CERT|^UNABLE_TO_|_SIGNATURE|_CRL|^INVALID_(CA|PURPOSE)$|^HOSTNAME_MISMATCH$/,
    'tls_failed',
  ],
];

/** Classifies an error of the network by its code. Null: no code that is known. */
export function connectionFailure(error: unknown): ConnectionFailure | null {
  const code = errorCode(error);
  if (code === null) return null;
  const byPattern = failureOfCodePattern.find(([pattern]) => pattern.test(code));
  return failureOfCode[code] ?? byPattern?.[1] ?? null;
}

/** One line about an error, for people: its message, or those of all addresses that were tried. */
export function describeError(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.map(describeError).join('; ');
  if (!(error instanceof Error)) return String(error);
  return (error.message || errorCode(error) || error.name).replace(/\s+/g, ' ');
}

function errorCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}
