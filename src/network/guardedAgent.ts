import { lookup as lookupAddresses } from 'node:dns';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { Agent, buildConnector } from 'undici';
import type { AddressGuard } from './addressGuard.ts';

export const addressRefused = 'ADDRESS_REFUSED';

// Node gives each address of a name 250 ms: less than one round trip to a distant server with a lost packet.
const perAddressTimeoutMs = 2_000;

/**
 * A connection pool that connects only where the guard allows: literals are checked as they are (the URL
 * parser has made dotted notation of decimal, hex and octal), names after each look-up, and the socket's
 * own peer once more, so that a name that changes its address between two questions gains nothing. Every
 * redirect connects anew and is covered. `connectTimeoutMs` (default 10,000) spans look-up, TCP and TLS;
 * `maxMessageBytes` (default 1 MB) bounds each message of a WebSocket.
 */
export function createGuardedAgent({
  guard,
  connectTimeoutMs = 10_000,
  maxMessageBytes = 1_000_000,
}: {
  guard: AddressGuard;
  connectTimeoutMs?: number;
  maxMessageBytes?: number;
}): Agent {
  const connect = buildConnector({
    timeout: connectTimeoutMs,
    lookup: guardedLookup(guard),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: perAddressTimeoutMs,
  });

  return new Agent({
    webSocket: { maxPayloadSize: maxMessageBytes },
    connect(options, callback) {
      if (isIP(options.hostname) !== 0 && !guard.isAllowed(options.hostname)) {
        return callback(refusal(options.hostname), null);
      }

      connect(options, (error, socket) => {
        if (error !== null) return callback(error, null);
        const fault = peerFault(socket, guard);
        if (fault === null) return callback(null, socket);
        socket.destroy();
        callback(fault, null);
      });
    },
  });
}

// Names with public and private addresses keep the public ones: behind DNS64 every name has both kinds.
function guardedLookup(guard: AddressGuard): LookupFunction {
  return (hostname, options, callback) => {
    lookupAddresses(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '');
      const allowed = addresses.filter(({ address }) => guard.isAllowed(address));
      const [first] = allowed;
      if (first === undefined) return callback(refusal(hostname, addresses[0]?.address), '');
      if (options.all) return callback(null, allowed);
      callback(null, first.address, first.family);
    });
  };
}

function peerFault(socket: Socket, guard: AddressGuard): Error | null {
  const { remoteAddress } = socket;
  if (remoteAddress === undefined) {
    return Object.assign(new Error('the connection was closed at once'), { code: 'ECONNRESET' });
  }
  return guard.isAllowed(remoteAddress) ? null : refusal(remoteAddress);
}

function refusal(hostname: string, address?: string): Error {
  const named = address === undefined ? hostname : `${hostname} (${address})`;
  const message = `${named} is not a public address; name its network in HEADWAY_ALLOW_NETWORKS to allow it`;
  return Object.assign(new Error(message), { code: addressRefused });
}
