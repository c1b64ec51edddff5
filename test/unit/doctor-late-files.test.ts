import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { lookAtContent } from '../../src/cli/doctor-event-files.ts'
import { type FilePlace, folderPlace } from '../../src/intake/event-files/file-place.ts'

/** Listed files whose rows are dropped. */
const LISTED = ['a', 'b', 'c', 'd'].map((path) => ({
  brandId: 1,
  path,
  bytes: 1n,
  sha256: path,
  isAlone: true,
}))

/** A place that answers for so many files, and then for none before the time is over. */
function slowPlace(answers: number) {
  const asked: string[] = []
  const place: FilePlace = {
    ...folderPlace('/nowhere'),
    compare: async ({ path }, signal) => {
      asked.push(path)
      if (asked.length <= answers) return 'whole'
      await once(signal, 'abort')
      throw signal.reason
    },
  }
  return { asked, place }
}

test('the doctor warns if its time does not suffice to compare all files', async () => {
  const { place, asked } = slowPlace(1)
  const found = await lookAtContent({ place, kept: 'folder', listed: LISTED, chance: 0, timeMaxMs: 50 })
  const { state, detail, advice } = Object(found)
  assert.equal(state, 'warn')
  assert.match(detail, /^4 files, .* compared only 1 of 4 by SHA-256/)
  assert.match(advice, /^Run the doctor again/)
  assert.deepEqual(asked, ['a', 'b'])
})

test('each run of the doctor begins at another file, and compares all if there is time', async () => {
  const { place, asked } = slowPlace(LISTED.length)
  const found = await lookAtContent({ place, kept: 'folder', listed: LISTED, chance: 0.5, timeMaxMs: 60_000 })
  assert.equal(found.state, 'good')
  assert.deepEqual(asked, ['c', 'd', 'a', 'b'])
})
