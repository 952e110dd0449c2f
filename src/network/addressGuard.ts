import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Says which addresses may be connected to. */
export type AddressGuard = {
  isAllowed(address: string): boolean;
};

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

const globalUnicast: Network = ipaddr.parseCIDR('2000::/3');

// Public by its range, yet it answers only to the virtual machines of one cloud, with their secrets:
// https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
const metadataAddress = '168.63.129.16';

/**
 * Allows the public internet, and beyond it only what `allowNetworks` names (networks or single addresses,
 * from HEADWAY_ALLOW_NETWORKS): a feed or a webhook must not reach the machines next to ours. What is not
 * an IP address is refused. Throws as `parseNetworks` does.
 */
export function createAddressGuard(allowNetworks: readonly string[]): AddressGuard {
  const allowed = allowNetworks.map(parseNetwork);

  return {
    isAllowed(text) {
      if (isIP(text) === 0) return false;
      const address = ipaddr.process(text);
      return isPublic(address) || allowed.some(network => isWithin(address, network));
    },
  };
}

/**
 * Reads a list of networks or addresses, separated by commas or white space. Empty: none.
 * Throws an Error that names the bad value and what is allowed.
 */
export function parseNetworks(text: string): readonly string[] {
  const networks = text.split(/[\s,]+/).filter(network => network !== '');
  networks.forEach(parseNetwork);
  return networks;
}

function parseNetwork(text: string): Network {
  const [base = '', prefix] = text.split('/');
  try {
    // Strictly dotted or colon notation: ipaddr.js alone would read "10" as 0.0.0.10.
    if (isIP(base) === 0) throw new Error('not an IP address');
    if (prefix !== undefined) return ipaddr.parseCIDR(text);
    const address = ipaddr.process(base);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  } catch (cause) {
    throw new Error(
      `HEADWAY_ALLOW_NETWORKS: "${text}" is neither a network such as 10.0.0.0/8 or fd00::/8 nor an address such as 127.0.0.1 or ::1`,
      { cause },
    );
  }
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast' || address.toString() === metadataAddress) return false;
  // ipaddr.js calls unicast what is in none of its lists: ::7f00:1, the old form of 127.0.0.1, is not.
  return address.kind() === 'ipv4' || isWithin(address, globalUnicast);
}

function isWithin(address: Address, [base, prefixBits]: Network): boolean {
  return address.kind() === base.kind() && address.match(base, prefixBits);
}
