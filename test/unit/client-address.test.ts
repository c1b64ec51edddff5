import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkOf } from '../../src/http/edge/client-address.ts'

const CASES = [
  [
    'without a proxy the header is not believed',
    { remote: '198.51.100.1', forwarded: '1.1.1.1', proxyHops: 0 },
    '198.51.100.1',
  ],
  [
    'one proxy: the last address it added',
    { remote: '10.0.0.1', forwarded: '6.6.6.6, 198.51.100.1', proxyHops: 1 },
    '198.51.100.1',
  ],
  [
    'two proxies: the one before the last',
    { remote: '10.0.0.1', forwarded: '6.6.6.6, 198.51.100.1, 10.0.0.2', proxyHops: 2 },
    '198.51.100.1',
  ],
  [
    'fewer addresses than proxies: the socket',
    { remote: '10.0.0.1', forwarded: '6.6.6.6', proxyHops: 2 },
    '10.0.0.1',
  ],
  ['no header: the socket', { remote: '10.0.0.1', forwarded: undefined, proxyHops: 1 }, '10.0.0.1'],
  ['no address in it: the socket', { remote: '10.0.0.1', forwarded: 'unknown', proxyHops: 1 }, '10.0.0.1'],
  [
    'a proxy that writes the port as well',
    { remote: '10.0.0.1', forwarded: '6.6.6.6, 198.51.100.1:50123', proxyHops: 1 },
    '198.51.100.1',
  ],
  [
    'IPv6 in brackets, with a port',
    { remote: '10.0.0.1', forwarded: '[2001:db8:1:2::9]:50123', proxyHops: 1 },
    '2001:db8:1:2::',
  ],
  [
    'IPv6 in brackets, without one',
    { remote: '10.0.0.1', forwarded: '[2001:db8:1:2::9]', proxyHops: 1 },
    '2001:db8:1:2::',
  ],
  [
    'IPv6 without brackets is never cut, also when its end looks like a port',
    { remote: '10.0.0.1', forwarded: '2001:db8:1:2::9:443', proxyHops: 1 },
    '2001:db8:1:2::',
  ],
  [
    'a port that is none: the socket',
    { remote: '10.0.0.1', forwarded: '198.51.100.1:http', proxyHops: 1 },
    '10.0.0.1',
  ],
  [
    'brackets around no address: the socket',
    { remote: '10.0.0.1', forwarded: '[6.6.6.6]:x, [unknown]:1', proxyHops: 1 },
    '10.0.0.1',
  ],
  [
    'without a proxy a port makes it no more believable',
    { remote: '198.51.100.1', forwarded: '1.1.1.1:80', proxyHops: 0 },
    '198.51.100.1',
  ],
  ['IPv4 in IPv6', { remote: '::ffff:198.51.100.1', forwarded: undefined, proxyHops: 0 }, '198.51.100.1'],
  [
    'a home has 64 bits of IPv6',
    { remote: '2001:db8:1:2:aaaa::9', forwarded: undefined, proxyHops: 0 },
    '2001:db8:1:2::',
  ],
  ['zeros may be left out', { remote: '2001:db8::7', forwarded: undefined, proxyHops: 0 }, '2001:db8:0:0::'],
  ['of the machine itself', { remote: '::1', forwarded: undefined, proxyHops: 0 }, '0:0:0:0::'],
  ['with a zone', { remote: 'fe80::1%eth0', forwarded: undefined, proxyHops: 0 }, 'fe80:0:0:0::'],
] as const

for (const [name, hops, expected] of CASES) {
  test(`the network of a caller: ${name}`, () => {
    assert.equal(networkOf(hops), expected)
  })
}
