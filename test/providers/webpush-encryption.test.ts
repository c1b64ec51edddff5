import assert from 'node:assert/strict'
import { createCipheriv, createECDH, createHmac, randomBytes } from 'node:crypto'
import { dlopen } from 'node:ffi'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { asyncProperty, assert as check, string } from 'fast-check'
import type { EncryptJob } from '../../src/providers/webpush/batch.ts'
import { EncryptPool } from '../../src/providers/webpush/encrypt-pool.ts'
import { ENCRYPTION_BYTES, encryptWith, PushEncryption } from '../../src/providers/webpush/encryption.ts'
import { openOpenssl } from '../../src/providers/webpush/openssl.ts'
import { BATCH_MAX, openNodeCrypto, type Primitives } from '../../src/providers/webpush/primitives.ts'
import { newBrowser, read } from './web-reader.ts'

/** RFC 8291, appendix A. */
const RFC = {
  plaintext: 'When I grow up, I want to be a watermelon',
  senderPrivate: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  body:
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl' +
    '7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
} as const

function bytesOf(text: string): Buffer<ArrayBuffer> {
  return Buffer.from(text, 'base64url')
}

/** Both ways are tried on every machine that has both. */
const WAYS = [
  ['OpenSSL', await openOpenssl()],
  ['node:crypto', openNodeCrypto()],
] as const

test('the pinned Node lets its OpenSSL be called as it is', () => {
  assert.ok(WAYS[0][1] !== null)
})

test('a key that is refused leaves no error behind for others of the thread to stumble over', () => {
  const { functions } = dlopen(null, { ERR_peek_error: { return: 'uint64', arguments: [] } })
  assert.deepEqual(WAYS[0][1]?.agree([Buffer.alloc(65, 4)]), [null])
  assert.equal(functions.ERR_peek_error(), 0n)
})

for (const [way, primitives] of WAYS) {
  if (primitives !== null) testEncryption(way, primitives)
}

function testEncryption(way: string, primitives: Primitives): void {
  const { agree, hmac, seal } = primitives

  test(`${way}: the example of RFC 8291 comes out byte for byte`, () => {
    const keyPair = createECDH('prime256v1')
    keyPair.setPrivateKey(bytesOf(RFC.senderPrivate))
    const keys = { p256dh: bytesOf(RFC.p256dh), auth: bytesOf(RFC.auth) }
    const agreement = { publicKey: keyPair.getPublicKey(), secret: keyPair.computeSecret(keys.p256dh) }
    const chance = { agreement, salt: bytesOf(RFC.salt) }
    const body = encryptWith(primitives, { plaintext: Buffer.from(RFC.plaintext), keys, chance })
    assert.equal(body.toString('base64url'), RFC.body)
  })

  test(`${way}: whatever is encrypted, an independent reader reads`, async () => {
    const encryption = new PushEncryption(primitives)
    const browser = newBrowser()
    await check(
      asyncProperty(string({ unit: 'binary', maxLength: 2000 }), async (raw) => {
        const text = raw.toWellFormed()
        const [body] = encryption.encrypt([{ plaintext: Buffer.from(text), keys: browser }])
        assert.ok(body !== null && body !== undefined)
        assert.equal(body.length, Buffer.byteLength(text) + ENCRYPTION_BYTES)
        assert.equal(await read(new Uint8Array(body), browser), text)
      }),
      { numRuns: 50 },
    )
  })

  test(`${way}: no two messages share a key pair or a salt`, () => {
    const encryption = new PushEncryption(primitives)
    const browser = newBrowser()
    const message = { plaintext: Buffer.from('same'), keys: browser }
    const bodies = Array.from({ length: 50 }, () =>
      encryption.encrypt(Array.from({ length: 22 }, () => message)),
    ).flat()
    const salts = new Set(bodies.map((body) => body?.toString('hex', 0, 16)))
    const keys = new Set(bodies.map((body) => body?.toString('hex', 21, 86)))
    assert.equal(salts.size, 1100)
    assert.equal(keys.size, 1100)
  })

  test(`${way}: a key that is no point on the curve is told from one that is, also in between`, () => {
    const { p256dh } = newBrowser()
    const off = Buffer.from(p256dh)
    off.writeUInt8((off[64] ?? 0) ^ 1, 64)
    const infinity = Buffer.alloc(65)
    const beyond = Buffer.concat([Buffer.of(4), Buffer.alloc(64, 0xff)])
    const bad = [
      Buffer.of(),
      Buffer.of(4),
      p256dh.subarray(0, 64),
      Buffer.concat([p256dh, Buffer.of(0)]),
      off,
      infinity,
      beyond,
    ]
    for (const [index, key] of bad.entries()) {
      assert.deepEqual(agree([key]), [null])
      // One more key each time, so that the bad one has other places, and the batch other sizes.
      const good = Array.from({ length: index + 1 }, () => p256dh)
      const lengths = agree([...good, key, ...good]).map((agreement) => agreement?.secret.length ?? null)
      assert.deepEqual(lengths, [...good.map(() => 32), null, ...good.map(() => 32)])
    }
    assert.deepEqual(
      agree(bad),
      bad.map(() => null),
    )
    assert.deepEqual(agree([]), [])
  })

  test(`${way}: both sides of each agreement of a full batch have the same secret`, () => {
    const readers = Array.from({ length: BATCH_MAX }, () => {
      const reader = createECDH('prime256v1')
      return { reader, key: reader.generateKeys() }
    })
    for (let round = 0; round < 20; round += 1) {
      const agreements = agree(readers.map(({ key }) => key))
      for (const [index, { reader }] of readers.entries()) {
        const { publicKey, secret } = agreements[index] ?? {}
        assert.ok(publicKey !== undefined && secret !== undefined)
        assert.deepEqual(reader.computeSecret(publicKey), secret)
      }
    }
  })

  test(`${way}: HMAC and AES are those of node:crypto, for keys and texts of every size that is used`, () => {
    for (let size = 0; size <= 200; size += 1) {
      const [key, text] = [randomBytes(1 + (size % 32)), randomBytes(size)]
      assert.deepEqual(hmac(key, text), createHmac('sha256', key).update(text).digest())
      const [secret, nonce, long] = [randomBytes(16), randomBytes(12), randomBytes(size * 20)]
      const cipher = createCipheriv('aes-128-gcm', secret, nonce)
      const sealed = Buffer.concat([cipher.update(long), cipher.final(), cipher.getAuthTag()])
      assert.deepEqual(seal(secret, nonce, long), sealed)
    }
  })
}

test('OpenSSL is given nothing that is larger than its memory', () => {
  const { agree, hmac, seal } = WAYS[0][1] ?? WAYS[1][1]
  const [key, nonce] = [Buffer.alloc(16), Buffer.alloc(12)]
  assert.throws(() => agree(Array.from({ length: BATCH_MAX + 1 }, () => newBrowser().p256dh)), /more than 32/)
  assert.throws(() => hmac(Buffer.alloc(33), key), /too long/)
  assert.throws(() => hmac(key, Buffer.alloc(257)), /too long/)
  assert.throws(() => seal(key, nonce, Buffer.alloc(4_097)), /no key, nonce or text/)
  assert.throws(() => seal(nonce, nonce, key), /no key, nonce or text/)
  assert.throws(() => seal(key, key, key), /no key, nonce or text/)
})

test('the threads give each message to its own reader, however many ask at once', async (t) => {
  const pool = new EncryptPool(2)
  t.after(async () => pool.close())
  const jobs = Array.from({ length: 300 }, (_, index) => ({
    browser: newBrowser(),
    plaintext: `message ${index} é🎉`,
  }))
  const bodies = await Promise.all(
    jobs.map(async ({ browser, plaintext }) =>
      encryptBy(pool, {
        plaintext,
        p256dh: browser.p256dh.toString('base64url'),
        auth: browser.auth.toString('base64url'),
      }),
    ),
  )
  for (const [index, { browser, plaintext }] of jobs.entries()) {
    const body = bodies[index]
    assert.ok(body instanceof Uint8Array)
    assert.equal(await read(new Uint8Array(body), browser), plaintext)
  }
})

test('a key that is no point on the curve harms only its own message', async (t) => {
  const pool = new EncryptPool(1)
  t.after(async () => pool.close())
  const { p256dh, auth } = newBrowser()
  const good = { plaintext: 'x', p256dh: p256dh.toString('base64url'), auth: auth.toString('base64url') }
  const bad = ['', 'AAAA', Buffer.alloc(65, 4).toString('base64url'), 'not base64 at all!'].map((key) => ({
    ...good,
    p256dh: key,
  }))
  const results = await Promise.all([good, ...bad, good].map(async (job) => encryptBy(pool, job)))
  assert.deepEqual(
    results.map((result) => (typeof result === 'string' ? result : 'encrypted')),
    ['encrypted', 'bad_key', 'bad_key', 'bad_key', 'bad_key', 'encrypted'],
  )
})

test('a closed pool gives jobs back', async () => {
  const pool = new EncryptPool(1)
  const waiting = encryptBy(pool, { plaintext: 'x', p256dh: RFC.p256dh, auth: RFC.auth })
  await pool.close()
  assert.equal(await waiting, 'busy')
  assert.equal(await encryptBy(pool, { plaintext: 'x', p256dh: RFC.p256dh, auth: RFC.auth }), 'busy')
})

async function encryptBy(pool: EncryptPool, job: EncryptJob, channel = ''): Promise<Uint8Array | string> {
  const { promise, resolve } = Promise.withResolvers<Uint8Array | string>()
  pool.encrypt(job, resolve, channel)
  return promise
}

/** Fills the threads and their line with messages of one channel, and tells how many were encrypted at a moment. */
function fill(pool: EncryptPool, { channel, count }: { readonly channel: string; readonly count: number }) {
  const results: string[] = []
  const job = { plaintext: 'x', p256dh: RFC.p256dh, auth: RFC.auth }
  const all = Array.from({ length: count }, async () => {
    const body = await encryptBy(pool, job, channel)
    results.push(typeof body === 'string' ? body : 'encrypted')
  })
  return { results, done: Promise.all(all) }
}

test('a broadcast that fills the encryption threads delays a message of another channel by a few batches', async (t) => {
  const pool = new EncryptPool(1)
  t.after(async () => pool.close())
  const broadcast = fill(pool, { channel: 'broadcast', count: 2_000 })
  const single = fill(pool, { channel: 'single', count: 20 })
  await single.done
  assert.deepEqual([...new Set(single.results)], ['encrypted'])
  // Two batches of 32 were with the thread, and the next ones are shared.
  assert.ok(broadcast.results.length <= 200, `${broadcast.results.length} messages went before`)
})

test('a full line refuses the channels that fill it, and no channel with few messages', async (t) => {
  const pool = new EncryptPool(1)
  t.after(async () => pool.close())
  const first = fill(pool, { channel: 'first', count: 5_100 })
  const second = fill(pool, { channel: 'second', count: 5_000 })
  const crowd = fill(pool, { channel: 'crowd', count: 100 })
  const few = fill(pool, { channel: 'few', count: 20 })
  // A refusal comes at once, and every other message has to wait for the thread.
  await nextTurn()
  const busy = [first, second, crowd, few].map(
    ({ results }) => results.filter((result) => result === 'busy').length,
  )
  assert.deepEqual(busy, [100, 0, 36, 0])
})

test('a thread has two batches at most, and an idle pool gives its thread nothing', async (t) => {
  const given = t.mock.method(Worker.prototype, 'postMessage')
  const pool = new EncryptPool(1)
  t.after(async () => pool.close())
  await fill(pool, { channel: 'single', count: 1 }).done
  assert.equal(given.mock.callCount(), 1)
  const broadcast = fill(pool, { channel: 'broadcast', count: 32 * 5 })
  // The pool gives batches after this turn, and no answer of the thread can come before the end of the next.
  await nextTurn()
  assert.equal(given.mock.callCount(), 3)
  await broadcast.done
  assert.equal(given.mock.callCount(), 6)
})
