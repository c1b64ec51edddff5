import { test } from 'node:test'
import * as fc from 'fast-check'
import { languageChooser } from '../../src/domain/push/language.ts'
import { comparableTag, prefixesOf } from '../../src/domain/values/language-tag.ts'

const PART = fc.constantFrom(
  'en',
  'zh',
  'iw',
  'he',
  'pt',
  'tw',
  'TW',
  'BR',
  'Hant',
  'x',
  '1',
  '',
  'Latn',
  'nb',
  'no',
)
const TAG = fc.oneof(
  fc.array(PART, { maxLength: 5 }).chain((parts) => fc.constantFrom(parts.join('-'), parts.join('_'))),
  fc.string({ unit: 'binary', maxLength: 20 }),
)
const WISH = fc.option(TAG)
const CASE = fc.record({
  languages: fc.uniqueArray(TAG, { maxLength: 8, selector: comparableTag }),
  brand: WISH,
  device: WISH,
  person: WISH,
})

test('the chosen language is one of the offered, or the default content', () => {
  fc.assert(
    fc.property(CASE, ({ languages, brand, device, person }) => {
      const { language } = languageChooser({ languages, brand })({ device, person })
      return language === null || languages.includes(language)
    }),
  )
})

test('the chosen language begins the tag of whoever decided, and no longer offered one does', () => {
  fc.assert(
    fc.property(CASE, ({ languages, brand, device, person }) => {
      const { language, source } = languageChooser({ languages, brand })({ device, person })
      if (language === null || source === 'nobody') return language === null
      const wanted = comparableTag({ device, person, brand }[source] ?? '')
      const taken = comparableTag(language)
      const isPrefix = wanted === taken || wanted.startsWith(`${taken}-`)
      const hasLonger = languages.some((tag) => {
        const other = comparableTag(tag)
        return other.length > taken.length && prefixesOf(wanted).includes(other)
      })
      return isPrefix && !hasLonger
    }),
  )
})

test('the spelling of a tag does not change the choice, and asking twice gives the same', () => {
  fc.assert(
    fc.property(CASE, ({ languages, brand, device, person }) => {
      const choose = languageChooser({ languages, brand })
      const first = choose({ device, person })
      const again = choose({ device, person })
      const other = choose({ device: device?.toUpperCase().replaceAll('-', '_') ?? null, person })
      const isAscii = Buffer.byteLength(device ?? '') === (device ?? '').length
      return (
        first.language === again.language &&
        first.source === again.source &&
        (!isAscii || other.language === first.language)
      )
    }),
  )
})

test('every prefix of a tag begins it, and they get shorter down to its language', () => {
  fc.assert(
    fc.property(TAG, (tag) => {
      const whole = comparableTag(tag)
      const prefixes = prefixesOf(whole)
      return prefixes.every((prefix, at) => {
        const isShorter = at === 0 || prefix.length < (prefixes[at - 1] ?? '').length
        return isShorter && (prefix === whole || whole.startsWith(`${prefix}-`))
      })
    }),
  )
})
