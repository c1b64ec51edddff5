import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADDRESS_BLOCKED } from '../../src/domain/push/verdict.ts'
import { APNS_VERDICTS } from '../../src/providers/apns/verdicts.ts'
import { FCM_VERDICTS } from '../../src/providers/fcm/verdicts.ts'
import { WEB_PUSH_VERDICTS } from '../../src/providers/webpush/verdicts.ts'
import { DELIVERY_CAUSES } from '../../src/rules/delivery-causes.ts'

const told = Object.values(DELIVERY_CAUSES).flatMap(({ reasons }) => [...reasons])

test('every reason of a push service has a cause in words', () => {
  const codes = [
    ADDRESS_BLOCKED,
    ...APNS_VERDICTS.keys(),
    ...FCM_VERDICTS.keys(),
    ...[...WEB_PUSH_VERDICTS.keys()].map((status) => `http_${status}`),
  ]
  const known = new Set<string>(told)
  assert.deepEqual(
    codes.filter((code) => !known.has(code)),
    [],
  )
})

test('no reason has two causes', () => {
  assert.equal(new Set(told).size, told.length)
})
