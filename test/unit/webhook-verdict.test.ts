import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig } from '../../src/config.ts'
import { rotateSecrets } from '../../src/domain/webhooks/secrets.ts'
import { webhookUrlFlaw } from '../../src/domain/webhooks/url.ts'
import { judgeEndpoint, settleMessage, type WebhookAnswer } from '../../src/domain/webhooks/verdict.ts'
import { WEBHOOK_RETRY_DELAYS_MS, WEBHOOK_RULES } from '../../src/rules/webhooks.ts'

const NOW = Date.UTC(2026, 10, 15)

function answered(status: number, retryAfterMs = 0): WebhookAnswer {
  return { kind: 'answered', status, retryAfterMs, text: '' }
}

test('2xx is a success, 410 the end, and everything else a failure', () => {
  for (const status of [200, 204, 299]) assert.equal(judgeEndpoint(answered(status), NOW).kind, 'well')
  for (const status of [199, 300, 307, 400, 404, 500])
    assert.deepEqual(
      judgeEndpoint(answered(status), NOW),
      { kind: 'failing', pausedUntil: null },
      String(status),
    )
  assert.equal(judgeEndpoint(answered(410), NOW).kind, 'gone')
  assert.equal(judgeEndpoint({ kind: 'unreached', reason: 'timeout' }, NOW).kind, 'failing')
})

test('an endpoint that is overloaded is left alone, for as long as it says and never longer than a day', () => {
  for (const status of [429, 502, 503, 504]) {
    const pausedUntil = NOW + WEBHOOK_RULES.pauseMs
    assert.deepEqual(judgeEndpoint(answered(status), NOW), { kind: 'failing', pausedUntil })
  }
  assert.deepEqual(judgeEndpoint(answered(503, 60_000), NOW), { kind: 'failing', pausedUntil: NOW + 60_000 })
  const pausedUntil = NOW + WEBHOOK_RULES.pauseMsMax
  assert.deepEqual(judgeEndpoint(answered(429, 10 ** 12), NOW), { kind: 'failing', pausedUntil })
})

test('ten attempts follow the schedule of the standard, a fifth more or less, and then it is over', () => {
  const failing = { kind: 'failing', pausedUntil: null } as const
  for (const [index, delayMs] of WEBHOOK_RETRY_DELAYS_MS.entries()) {
    const attempt = index + 1
    for (const [jitter, factor] of [
      [0, 0.8],
      [0.5, 1],
      [1, 1.2],
    ] as const) {
      const { readyAt } = settleMessage(failing, { attempt, now: NOW, jitter })
      assert.equal(readyAt, NOW + Math.round(delayMs * factor))
    }
  }
  const last = { attempt: WEBHOOK_RETRY_DELAYS_MS.length + 1, now: NOW, jitter: 0 }
  assert.deepEqual(settleMessage(failing, last), { state: 'failed', readyAt: null })
})

test('a retry never comes sooner than the endpoint asked', () => {
  const fate = judgeEndpoint(answered(429, 3_600_000), NOW)
  assert.equal(settleMessage(fate, { attempt: 1, now: NOW, jitter: 0 }).readyAt, NOW + 3_600_000)
})

test('a rotation keeps the old secret for the overlap, and never more than a few', () => {
  let secrets = [{ secret: 'first', expiresAt: null }] as ReturnType<typeof rotateSecrets>
  for (const secret of ['second', 'third', 'fourth'])
    secrets = rotateSecrets(secrets, { secret, now: NOW, overlapMs: 1_000 })
  assert.deepEqual(
    secrets.map(({ secret, expiresAt }) => [secret, expiresAt]),
    [
      ['fourth', null],
      ['third', NOW + 1_000],
      ['second', NOW + 1_000],
    ],
  )
  const later = rotateSecrets(secrets, { secret: 'fifth', now: NOW + 1_000, overlapMs: 0 })
  assert.deepEqual(later, [{ secret: 'fifth', expiresAt: null }])
})

test('only https to a public place may be called, unless the settings name the host', () => {
  const allowed = new Set(['127.0.0.1:8099'])
  const bad = [
    'http://example.com/',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://2130706433/',
    'https://169.254.169.254/latest',
    'https://168.63.129.16/',
    'https://localhost/',
    'https://LOCALHOST:8443/',
    'https://localhost./',
    'https://shop.localhost/',
    'https://printer.local/',
    'https://metadata.google.internal/',
    'https://nas.home.arpa/',
    'https://intranet/',
    'https://%6c%6f%63%61%6c%68%6f%73%74/',
    'http://127.0.0.1:8098/',
    'ftp://127.0.0.1:8099/',
    'https://user:secret@example.com/',
    'https://exa mple.com/',
    'javascript:alert(1)',
    'hooks',
    `https://example.com/${'a'.repeat(WEBHOOK_RULES.urlCharsMax)}`,
  ]
  for (const url of bad) assert.notEqual(webhookUrlFlaw(url, allowed), null, url)
  const good = [
    'https://example.com',
    'https://example.com:8443/a?b=c',
    'HTTPS://EXAMPLE.COM/a',
    'https://localhost.example.com/',
    'https://internal.example.com/',
    'https://8.8.8.8/',
    'http://127.0.0.1:8099/x',
  ]
  for (const url of good) assert.equal(webhookUrlFlaw(url, allowed), null, url)
})

/** As it is where the settings name no host. */
function flawOf(url: string): string {
  return webhookUrlFlaw(url, new Set()) ?? ''
}

test('an address that the settings could allow says by which setting', () => {
  assert.equal(
    flawOf('http://127.0.0.1:3000/hooks'),
    'it must begin with https://, unless the operator adds 127.0.0.1:3000 to BECKON_WEBHOOK_HOSTS',
  )
  assert.match(
    flawOf('https://10.0.0.1/'),
    /private network, unless .* adds 10\.0\.0\.1:443 to BECKON_WEBHOOK_HOSTS/,
  )
  for (const url of ['ftp://127.0.0.1/', 'hooks']) assert.doesNotMatch(flawOf(url), /BECKON_WEBHOOK_HOSTS/)
})

test('what the words name is what the setting takes', () => {
  for (const url of ['http://127.0.0.1/', 'https://10.0.0.1/', 'https://[::1]/', 'http://LocalHost:3000/']) {
    const [, named = ''] = /adds (\S+) to/.exec(flawOf(url)) ?? []
    const { webhookHosts } = loadConfig({ BECKON_WEBHOOK_HOSTS: named })
    assert.equal(webhookUrlFlaw(url, new Set(webhookHosts)), null, named)
  }
})
