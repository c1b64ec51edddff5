import { test } from 'node:test'
import * as fc from 'fast-check'
import { countChars, cutAtWord, isLonger } from '../../src/domain/values/text.ts'

const TEXT = fc.string({ unit: 'binary', maxLength: 200 })
const ROOM = fc.integer({ min: 0, max: 120 })

test('a cut text never has more code points than there is room for, and stays well formed', () => {
  fc.assert(
    fc.property(TEXT, ROOM, (text, room) => {
      const cut = cutAtWord(text, room)
      return countChars(cut) <= room && cut.isWellFormed()
    }),
  )
})

test('a cut text is the text itself, or begins it and ends in an ellipsis', () => {
  fc.assert(
    fc.property(TEXT, ROOM, (text, room) => {
      const cut = cutAtWord(text, room)
      return cut === text || cut === '' || (cut.endsWith('…') && text.startsWith(cut.slice(0, -1)))
    }),
  )
})

test('isLonger agrees with counting', () => {
  fc.assert(fc.property(TEXT, ROOM, (text, room) => isLonger(text, room) === countChars(text) > room))
})
