import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { encodeJson, parseJson } from '../../src/domain/values/json.ts'
import { parsePushBody } from '../../src/http/push/body.ts'
import { INT64_MAX, INT64_MIN } from '../../src/rules/fields.ts'
import { PUSH_FIELDS } from '../../src/rules/push-fields.ts'
import { leastBody, PUSH_ADDRESSES } from '../support/push/push.ts'

const ADDRESS = fc.constantFrom(...PUSH_ADDRESSES)
const FIELD = fc.oneof(
  fc.constantFrom(...PUSH_FIELDS.map(({ name }) => name)),
  fc.constantFrom('Schedule_time', '__proto__', 'constructor', 'x'),
)
const VALUE = fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }), fc.bigInt(), fc.double())

test('any body at all is parsed or refused with known fields, and never thrown at', () => {
  fc.assert(
    fc.property(ADDRESS, fc.dictionary(FIELD, VALUE), (address, extra) => {
      const parsed = parsePushBody(address, { ...leastBody(address), ...extra })
      if (!parsed.ok) assert.ok(parsed.rejection.faults.every(({ field }) => field !== null))
    }),
    { numRuns: 500 },
  )
})

test('an int64 survives the way from the caller’s text and back, digit for digit', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: INT64_MIN, max: INT64_MAX }), fc.boolean(), (id, isQuoted) => {
      const digits = isQuoted ? `"${id}"` : String(id)
      const body = parseJson(`{"title":"t","message":"m","segment_id":${digits},"notification_id":${digits}}`)
      const parsed = parsePushBody({ platform: 'web', mode: 'segment' }, body)
      assert.ok(parsed.ok)
      assert.deepEqual(parsed.value.draft.target, { kind: 'segment', segmentId: id })
      assert.equal(encodeJson({ id: parsed.value.draft.callerNotificationId }), `{"id":${id}}`)
    }),
  )
})
