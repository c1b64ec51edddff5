import assert from 'node:assert/strict'
import { scryptSync } from 'node:crypto'
import { test } from 'node:test'
import { PasswordHasher } from '../../src/runtime/secrets/password.ts'

const CHEAP = { log2: 1, blockSize: 1, rounds: 1 }

test('a password costs what it shall cost unless a test says otherwise', async () => {
  const [name, salt = '', key = ''] = (await new PasswordHasher().hash('correct horse')).split('$')
  assert.equal(name, 'scrypt-15-8-3')
  const cost = { N: 2 ** 15, r: 8, p: 3, maxmem: 2 ** 26 }
  const wanted = scryptSync('correct horse', Buffer.from(salt, 'base64url'), 32, cost)
  assert.equal(key, wanted.toString('base64url'))
})

test('a hash matches its password in both spellings of a letter, and no other password', async () => {
  const passwords = new PasswordHasher(CHEAP)
  const stored = await passwords.hash('caf\u00e9 au lait')
  assert.ok(await passwords.matches('cafe\u0301 au lait', stored))
  assert.ok(!(await passwords.matches('cafe au lait', stored)))
  assert.notEqual(await passwords.hash('caf\u00e9 au lait'), stored)
})

test('a hash of another cost, and a text that is no hash, match nothing', async () => {
  const passwords = new PasswordHasher(CHEAP)
  const other = await new PasswordHasher({ ...CHEAP, rounds: 2 }).hash('secret')
  for (const stored of [other, '', 'secret', '$$', 'scrypt-1-1-1$$']) {
    assert.ok(!(await passwords.matches('secret', stored)), stored)
  }
})
