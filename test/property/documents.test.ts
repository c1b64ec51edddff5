import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { Compile } from 'typebox/compile'
import { parseJourney } from '../../src/domain/journeys/reading.ts'
import { parseFilter } from '../../src/domain/segments/filter.ts'
import { encodeJson, isJsonObject, type JsonObject } from '../../src/domain/values/json.ts'
import { messageReader } from '../../src/http/journeys/message.ts'
import { JOURNEY_SCHEMAS } from '../../src/http/journeys/schema.ts'
import { COMPONENTS } from '../../src/http/reference/openapi-components.ts'
import { NO_SOURCE } from '../../src/http/templates/resolve.ts'
import { renderPayload } from '../../src/providers/payload-bytes.ts'
import { DURATION_UNITS } from '../../src/rules/journeys.ts'
import { mutantsOf, valuesOf } from '../support/reference/schema-values.ts'

/** As the OpenAPI document shows them, where integers are digits. */
const ROOT: object = JSON.parse(encodeJson({ components: COMPONENTS }))
const FILTER = { $ref: '#/components/schemas/SegmentFilter' }
const JOURNEY: object = JSON.parse(encodeJson(JOURNEY_SCHEMAS.check))

const fitsFilter = Compile({ ...FILTER, ...ROOT })
const fitsJourney = Compile({ ...JOURNEY, ...ROOT })

const readMessage = messageReader({ renderPayload, source: NO_SOURCE, now: 0 })

function journeyFaults(document: unknown): readonly string[] {
  const parsed = parseJourney(document, readMessage)
  return parsed.ok ? [] : parsed.rejection.faults.map(({ message }) => message)
}

function filterFaults(filter: unknown): readonly string[] {
  const parsed = parseFilter(filter, 'filter')
  return parsed.ok ? [] : parsed.rejection.faults.map(({ message }) => message)
}

test('a filter that is made from its schema is read', () => {
  fc.assert(
    fc.property(valuesOf(FILTER, ROOT), (filter) => {
      assert.ok(fitsFilter.Check(filter))
      assert.deepEqual(filterFaults(filter), [])
    }),
  )
})

test('the schema and the reader refuse the same filters, but for dates and ids that a schema cannot tell', () => {
  fc.assert(
    fc.property(mutantsOf(valuesOf(FILTER, ROOT)), (filter) => {
      const faults = filterFaults(filter)
      if (!fitsFilter.Check(filter)) assert.ok(faults.length > 0, 'the reader takes what the schema refuses')
      else
        assert.deepEqual(
          faults.filter((text) => !/must be a date|the id of/.test(text)),
          [],
        )
    }),
  )
})

/** The rules that no schema can say: names and ways of steps, sums, which field needs which, and which templates exist. */
function coherent(document: unknown): unknown {
  if (!isJsonObject(document)) return document
  const steps: readonly unknown[] = Array.isArray(document['steps']) ? document['steps'] : []
  return {
    ...document,
    steps: steps.map((step, at) => (isJsonObject(step) ? coherentStep(step, `s${at}`) : step)),
    quiet_hours: [{ from: '22:00', to: '07:00' }],
  }
}

function coherentStep(step: JsonObject, id: string): object {
  const members = Object.entries(step).map(([name, member]) => [name, coherentMember(name, member)] as const)
  return { ...Object.fromEntries(members.filter(([name]) => name !== 'next')), id }
}

function coherentMember(name: string, member: unknown): unknown {
  if (name === 'split' && Array.isArray(member)) {
    const percents = member.map((_, at) => (at === 0 ? 100 - (member.length - 1) : 1))
    return percents.map((percent) => ({ percent }))
  }
  if (!isJsonObject(member)) return member
  if (Object.keys(member).every((key) => key in DURATION_UNITS)) return { hours: 1 }
  const { yes: _, no: __, template_id: ___, template_version: ____, ...rest } = member
  const texts = name === 'send' ? { title: 'Hello', message: 'World' } : {}
  const within = 'within' in rest ? { within: { hours: 1 } } : {}
  return { ...texts, ...titled(rest), ...within, ...titledLanguages(rest['languages']) }
}

/** A button has a title wherever it has an address. */
function titled(content: JsonObject): JsonObject {
  const buttons = Object.keys(content).filter((key) => key.startsWith('button_'))
  return { ...content, ...Object.fromEntries(buttons.map((key) => [key.replace('_url', '_title'), 'Go'])) }
}

function titledLanguages(languages: unknown): JsonObject {
  if (!isJsonObject(languages)) return {}
  const contents = Object.entries(languages).map(
    ([language, content]) => [language, isJsonObject(content) ? titled(content) : content] as const,
  )
  return { languages: Object.fromEntries(contents) }
}

test('a journey that is made from its schema is read', () => {
  fc.assert(
    fc.property(valuesOf(JOURNEY, ROOT).map(coherent), (document) => {
      assert.ok(fitsJourney.Check(document), JSON.stringify(document))
      assert.deepEqual(journeyFaults(document), [])
    }),
  )
})

/** A field of a push that is null is the same as an absent one, whatever its schema says. */
function withoutNulls(document: unknown): unknown {
  if (!isJsonObject(document) || !Array.isArray(document['steps'])) return document
  const steps = document['steps'].map((step: unknown) => {
    const send = isJsonObject(step) ? step['send'] : undefined
    if (!isJsonObject(step) || !isJsonObject(send)) return step
    return { ...step, send: Object.fromEntries(Object.entries(send).filter(([, value]) => value !== null)) }
  })
  return { ...document, steps }
}

test('a journey that its schema refuses is refused by the reader', () => {
  fc.assert(
    fc.property(mutantsOf(valuesOf(JOURNEY, ROOT).map(coherent)), (document) => {
      const { stray: _, ...known } = isJsonObject(document) ? document : {}
      const { name: __, ...body } = known
      if (journeyFaults(body).length === 0)
        assert.ok(fitsJourney.Check(withoutNulls(body)), JSON.stringify(body))
    }),
  )
})
