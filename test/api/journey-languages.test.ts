import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { PLATFORMS } from '../../src/rules/platforms.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'

const server = await startServer()
after(server.close)
const { port, brand } = server

async function create(send: object) {
  const body = {
    name: 'Welcome',
    trigger: { event: 'signup' },
    steps: [{ id: 'hi', send: { to: 'anywhere', title: 'Hi', message: 'You', ...send } }],
  }
  return call(port, { path: '/api/v1/journeys', headers: keyHeaders(await brand()), body })
}

function fieldsIn(body: Readonly<Record<string, unknown>>): readonly string[] {
  return Object(body['errors']).map(({ field, code }: { field: string; code: string }) => `${field}:${code}`)
}

test('200: a send of a journey may have languages', async () => {
  const { status, text } = await create({ languages: { fr: { title: 'Salut' }, he: { message: 'שלום' } } })
  assert.equal(status, 200, text)
})

test('400 names the step, the language and the field', async () => {
  const long = 'x'.repeat(PLATFORMS.ios.titleCharsMax + 1)
  const { status, body } = await create({
    languages: { fr: { title: long }, xx1: {}, de: { colour: 'red' } },
  })
  assert.equal(status, 400)
  assert.deepEqual(fieldsIn(body), [
    'steps[0].send.languages.fr.title:field_too_long',
    'steps[0].send.languages.xx1:field_invalid',
    'steps[0].send.languages.de.colour:journey_invalid',
  ])
})

test('400 payload_too_large names the language', async () => {
  const { status, body } = await create({ to: 'web', languages: { fr: { message: 'é'.repeat(3_000) } } })
  assert.equal(status, 400)
  assert.deepEqual(fieldsIn(body), ['steps[0].send.languages.fr.message:payload_too_large'])
})
