import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bad, good } from '../../src/cli/doctor-check.ts'
import { lookAtCache } from '../../src/cli/doctor-event-files.ts'

const MIB = 1_048_576

/** A listed file of so many mebibytes. */
function fileOf(mib: number, isAlone: boolean) {
  return { brandId: 1, path: `brand=1/${mib}`, bytes: BigInt(mib * MIB), sha256: '', isAlone }
}

test('the doctor warns once the files with the only copy of events are more than the cache holds', () => {
  const listed = [fileOf(60, true), fileOf(40, true), fileOf(500, false)]
  const whole = good('3 files')
  assert.equal(lookAtCache(whole, { listed, cacheMib: 100 }), whole)
  const { state, detail, advice } = Object(lookAtCache(whole, { listed, cacheMib: 99 }))
  assert.equal(state, 'warn')
  assert.match(detail, /^3 files, 100.*MiB, and the cache holds 99.*MiB$/)
  assert.match(advice, /^Set BECKON_EVENT_FILES_CACHE to more than 100\./)
  const lost = bad('1 of 3 files are missing', 'Bring the file back.')
  assert.equal(lookAtCache(lost, { listed, cacheMib: 99 }), lost)
})
