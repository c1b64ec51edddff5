import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { parseFilter } from '../../src/domain/segments/filter.ts'
import { SEGMENT_CONDITIONS, SEGMENT_FACTS, SEGMENT_OPERATORS } from '../../src/rules/segments.ts'
import { startServer } from '../support/processes/server.ts'
import { openSandboxDesk } from '../support/push/sandbox-desk.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const desk = await openSandboxDesk()
const server = await startServer({ deps: { sandbox: desk.deps } })
after(async () => Promise.all([server.close(), desk.close()]))

/** The function of the README, which here also ends the script when a call fails, and notes every reply. */
const CALL = `
  set -e
  cd "$(mktemp -d)"
  trap 'rm -r "$PWD"' EXIT
  call() {
    reply=$(curl -sS --fail-with-body "$BECKON_URL$1" -H "x-brand-id: $BECKON_BRAND" -H "x-api-key: $BECKON_KEY" \\
      -H 'content-type: application/json' "\${@:2}") || { echo "$1: $reply" >&2; kill $$; }
    echo "$reply" >&2
    echo "$reply"
  }
`

for (const page of [
  'events.md',
  'journeys.md',
  'people.md',
  'preferences.md',
  'push.md',
  'segments.md',
  'templates.md',
  'virtual-devices.md',
  'webhooks.md',
]) {
  test(`every line to type in docs/${page} works as it is pasted, in the order it is told`, async () => {
    const brand = await server.brand()
    await seedSubscriptions(server.deps.database, { brandId: brand.brandId, userId: 'demo-user' })
    const lines = [...read(page).matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block).join('')
    assert.match(lines, /^call /m)
    const env = {
      ...process.env,
      BECKON_URL: `http://127.0.0.1:${server.port}`,
      BECKON_BRAND: brand.externalId,
      BECKON_KEY: brand.secretKey,
    }
    const { stdout, stderr } = await promisify(execFile)('bash', ['-c', CALL + lines], { env })
    assert.doesNotMatch(stdout + stderr, /"(?:warnings|unprocessed|errors)":\s*\[\{/)
  })
}

test('docs/segments.md shows every condition, operator and field, each in a filter that is right', () => {
  const shown = [...read('segments.md').matchAll(/^\| `(\{.+?\})`/gm)].map(([, filter]) => filter ?? '')
  for (const filter of shown) assert.equal(parseFilter(JSON.parse(filter), 'filter').ok, true, filter)
  const page = shown.join('\n')
  for (const key of Object.keys(SEGMENT_CONDITIONS)) assert.match(page, new RegExp(`"${key}":`))
  for (const is of Object.keys(SEGMENT_OPERATORS)) assert.match(page, new RegExp(`"is":"${is}"`))
  for (const field of Object.keys(SEGMENT_FACTS))
    assert.match(read('segments.md'), new RegExp(`\`${field}\``))
})

function read(page: string): string {
  return readFileSync(join(import.meta.dirname, '../../docs', page), 'utf8')
}
