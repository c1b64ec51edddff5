import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_BODY_HASH, type S3Call, signCall } from '../../src/runtime/object-store/sign.ts'

// The examples of Amazon's "Signature Calculations for the Authorization Header", with its example keys.
const signer = {
  keys: { id: 'AKIAIOSFODNN7EXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
  region: 'us-east-1',
  now: Date.parse('2013-05-24T00:00:00Z'),
}
const host = 'examplebucket.s3.amazonaws.com'

const EXAMPLES: readonly (readonly [string, S3Call, string])[] = [
  [
    'a part of an object',
    { method: 'GET', host, path: '/test.txt', headers: { range: 'bytes=0-9' }, bodyHash: NO_BODY_HASH },
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
  [
    'a file that is stored',
    {
      method: 'PUT',
      host,
      path: '/test$file.text',
      headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
      bodyHash: '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
    },
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  ],
  [
    'a list',
    {
      method: 'GET',
      host,
      path: '/',
      query: { prefix: 'J', 'max-keys': '2' },
      bodyHash: NO_BODY_HASH,
    },
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  ],
]

for (const [what, call, signature] of EXAMPLES) {
  test(`the signature of ${what} is that of the example`, () => {
    assert.ok(signCall(call, signer).headers['authorization']?.endsWith(`Signature=${signature}`))
  })
}

test('signs of names are encoded as the protocol wants', () => {
  const { path } = signCall(
    { method: 'GET', host, path: "/b/brand=3/a b'(!)*~.ä", query: { 'x y': 'a/b=' }, bodyHash: NO_BODY_HASH },
    signer,
  )
  assert.equal(path, '/b/brand%3D3/a%20b%27%28%21%29%2A~.%C3%A4?x%20y=a%2Fb%3D')
})
