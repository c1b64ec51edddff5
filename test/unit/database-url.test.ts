import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig } from '../../src/config.ts'
import { parseDatabaseUrl, serverNames } from '../../src/runtime/postgres/database-url.ts'

const GOOD: readonly (readonly [url: string, servers: string])[] = [
  ['postgres://u:p@db/beckon', 'db:5432'],
  ['postgresql://u:p@db:6000/beckon', 'db:6000'],
  ['postgres://u:p@n1,n2:5433,n3/beckon?target_session_attrs=read-write', 'n1:5432, n2:5433, n3:5432'],
  ['postgres://u:p@[::1]:5433,[fe80::2]/beckon', '[::1]:5433, [fe80::2]:5432'],
  ['postgres:///beckon?host=n1,n2&port=5433,5434', 'n1:5433, n2:5434'],
  ['postgres:///beckon?host=n1,n2&port=5433', 'n1:5433, n2:5433'],
  ['postgres://u@%2Fvar%2Frun/beckon', '/var/run:5432'],
  ['postgres:///beckon?host=/var/run/postgresql', '/var/run/postgresql:5432'],
  ['postgres://u:p@a@db/beckon', 'db:5432'],
  ['postgres:///beckon', 'localhost:5432'],
]

for (const [url, servers] of GOOD) {
  test(`${url} is read as libpq reads it`, () => {
    const parsed = parseDatabaseUrl(url)
    assert.ok(parsed.ok)
    assert.equal(serverNames(parsed.value.servers), servers)
  })
}

test('user, password, database and strange parameters stay, the host and its choice do not', () => {
  const parsed = parseDatabaseUrl(
    'postgres://u:p%40q@n1,n2/beckon?target_session_attrs=primary&sslmode=require&role_logins=derived',
  )
  assert.ok(parsed.ok)
  assert.equal(parsed.value.rest, 'postgres://u:p%40q@host.invalid/beckon?role_logins=derived')
})

test('connect_timeout is the time to wait for a connection, in seconds, and zero is the usual time', () => {
  assert.deepEqual(['20', '0', '-1'].map(readTimeout), [20_000, null, undefined])
})

function readTimeout(seconds: string): number | null | undefined {
  const parsed = parseDatabaseUrl(`postgres://u:p@n1,n2/beckon?connect_timeout=${seconds}`)
  return parsed.ok ? parsed.value.connectTimeoutMs : undefined
}

const BAD: readonly (readonly [url: string, word: RegExp])[] = [
  ['mysql://u:p@db/beckon', /an address such as/],
  ['postgres://u:p@n1,,n3/beckon', /without an empty name/],
  ['postgres://u:p@n1,n2:x/beckon', /entry 2/],
  ['postgres://u:p@n1,n2:70000/beckon', /entry 2/],
  ['postgres://u:p@n1 ,n2/beckon', /entry 1/],
  ['postgres://u:p@n1,n1:5432/beckon', /twice/],
  ['postgres:///beckon?host=n1,n2,n3&port=1,2', /one port for each host/],
  [`postgres://u:p@${Array.from({ length: 17 }, (_, index) => `n${index}`).join(',')}/beckon`, /at most 16/],
  ['postgres://u:p@n1,n2/beckon?target_session_attrs=standby', /takes writes/],
  ['postgres://u:p@db/beckon?connect_timeout=soon', /connect_timeout is a number of seconds/],
  ['postgres://u:p@db/beckon?sslmode=prefer', /sslmode is one of/],
  ['postgres://u:p@db/beckon?sslmode=verify-ca', /sslrootcert/],
  ['postgres://u:p@db/beckon?sslmode=verify-full&sslcert=/a.pem', /both sslcert and sslkey/],
]

for (const [url, word] of BAD) {
  test(`DATABASE_URL=${url.slice(0, 60)} stops the start and says why`, () => {
    assert.throws(() => loadConfig({ DATABASE_URL: url }), word)
  })
}
