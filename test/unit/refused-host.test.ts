import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshRefusals, type RefusedHost, updateRefusedHosts } from '../../src/domain/push/refused-host.ts'
import { REFUSED_HOSTS } from '../../src/rules/channels.ts'

const NOW = Date.UTC(2026, 0, 1)
const OLD: RefusedHost = { host: 'old.example', reason: 'http_403', since: NOW - 5_000, at: NOW - 1_000 }

const refusalOf = (host: string) => ({ refused: [{ host, reason: 'http_401' }], accepted: [] })

test('a host that refuses again keeps its beginning and comes first, with its newest reason', () => {
  const known = updateRefusedHosts([OLD], refusalOf('new.example'), NOW)
  assert.deepEqual(updateRefusedHosts(known, refusalOf('old.example'), NOW + 1), [
    { host: 'old.example', reason: 'http_401', since: OLD.since, at: NOW + 1 },
    { host: 'new.example', reason: 'http_401', since: NOW, at: NOW },
  ])
})

test('a host that takes a message is off the list', () => {
  assert.deepEqual(updateRefusedHosts([OLD], { refused: [], accepted: ['old.example'] }, NOW), [])
})

test('however many hosts refuse, the newest are kept, and no more than may be', () => {
  let known: readonly RefusedHost[] = []
  for (let count = 0; count <= REFUSED_HOSTS.max; count += 1)
    known = updateRefusedHosts(known, refusalOf(`${count}.example`), NOW + count)
  assert.equal(known.length, REFUSED_HOSTS.max)
  assert.equal(known[0]?.host, `${REFUSED_HOSTS.max}.example`)
})

test('what was not heard of for long is not shown, and goes with the next news', () => {
  const later = OLD.at + REFUSED_HOSTS.keepMs
  assert.deepEqual(freshRefusals([OLD], later - 1), [OLD])
  assert.deepEqual(freshRefusals([OLD], later), [])
  assert.equal(updateRefusedHosts([OLD], refusalOf('new.example'), later).length, 1)
})
