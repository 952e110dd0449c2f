import { describe, expect, it } from 'vitest';
import { createAddressGuard, parseNetworks } from '../../src/network/addressGuard.ts';

describe('createAddressGuard', () => {
  it.each(['8.8.8.8', '1.1.1.1', '2606:4700::1111', '::ffff:8.8.8.8'])(
    'allows the public address %s',
    address => {
      const guard = createAddressGuard([]);

      expect(guard.isAllowed(address)).toBe(true);
    },
  );

  it.each([
    ['loopback', '127.0.0.1'],
    ['another loopback', '127.8.9.10'],
    ['this host', '0.0.0.0'],
    ['a private network', '10.0.0.1'],
    ['a private network', '172.16.0.1'],
    ['a private network', '192.168.1.1'],
    ['link-local, where clouds serve metadata', '169.254.169.254'],
    ['a cloud’s metadata on a public address', '168.63.129.16'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['documentation', '192.0.2.1'],
    ['benchmarking', '198.18.0.1'],
    ['multicast', '224.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['reserved', '240.0.0.1'],
    ['loopback', '::1'],
    ['unspecified', '::'],
    ['unique local', 'fd00::1'],
    ['link-local', 'fe80::1'],
    ['site-local, long deprecated', 'fec0::1'],
    ['mapped loopback', '::ffff:127.0.0.1'],
    ['mapped loopback in hex', '::ffff:7f00:1'],
    ['compatible loopback', '::7f00:1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['local NAT64', '64:ff9b:1::7f00:1'],
    ['6to4', '2002:7f00:1::'],
    ['Teredo', '2001::1'],
    ['multicast', 'ff02::1'],
    ['unassigned', '4000::1'],
  ])('refuses %s: %s', (_kind, address) => {
    const guard = createAddressGuard([]);

    expect(guard.isAllowed(address)).toBe(false);
  });

  it.each(['', 'localhost', '2130706433', '0x7f.1', 'fe80::1%eth0'])(
    'refuses what is no plain address: "%s"',
    text => {
      const guard = createAddressGuard(['0.0.0.0/32']);

      expect(guard.isAllowed(text)).toBe(false);
    },
  );

  it('allows what a network or an address names, and nothing beside it', () => {
    const guard = createAddressGuard(['10.1.0.0/16', '127.0.0.1', 'fd00::/8']);

    const allowed = ['10.1.2.3', '127.0.0.1', '::ffff:127.0.0.1', 'fd12::1'].map(guard.isAllowed);
    const refused = ['10.2.0.1', '127.0.0.2', '::1', 'fe80::1'].map(guard.isAllowed);

    expect(allowed).toEqual([true, true, true, true]);
    expect(refused).toEqual([false, false, false, false]);
  });
});

describe('parseNetworks', () => {
  it('reads commas and white space', () => {
    expect(parseNetworks(' 10.0.0.0/8, ::1\n127.0.0.1 ')).toEqual(['10.0.0.0/8', '::1', '127.0.0.1']);
  });

  it('reads nothing as none', () => {
    expect(parseNetworks('  ')).toEqual([]);
  });

  it.each(['10', '10.0.0.0/33', 'localhost', '10.0.0.0/', '1.2.3.4/8/9', '::1/129'])(
    'names the bad value: %s',
    bad => {
      expect(() => parseNetworks(`127.0.0.1, ${bad}`)).toThrow(`HEADWAY_ALLOW_NETWORKS: "${bad}" is neither`);
    },
  );
});
