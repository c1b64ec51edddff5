import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type LanguageOffer, type LanguageWishes, languageChooser } from '../../src/domain/push/language.ts'
import { LANGUAGE_LIMITS } from '../../src/rules/languages.ts'

const NOBODY_KNOWN: LanguageWishes = { device: null, person: null }

/** The language that a device of this language gets, from these. */
function chosen(languages: readonly string[], device: string): string | null {
  return languageChooser({ languages, brand: null })({ ...NOBODY_KNOWN, device }).language
}

function choose(offer: Partial<LanguageOffer>, wishes: Partial<LanguageWishes>) {
  const { language, source } = languageChooser({ languages: [], brand: null, ...offer })({
    ...NOBODY_KNOWN,
    ...wishes,
  })
  return [language, source]
}

test('the longest offered prefix of the device’s language is chosen', () => {
  assert.equal(chosen(['fr', 'pt', 'pt-BR'], 'pt-BR'), 'pt-BR')
  assert.equal(chosen(['fr', 'pt', 'pt-BR'], 'pt-PT'), 'pt')
  assert.equal(chosen(['fr', 'pt-BR'], 'pt-PT'), null)
  assert.equal(chosen(['fr', 'pt-BR'], 'pt'), null, 'a longer tag is not a fallback of a shorter one')
})

test('zh-Hant-TW falls back to zh-Hant and then to zh, and zh-TW is the same language', () => {
  for (const device of ['zh-Hant-TW', 'zh-TW', 'zh_TW', 'ZH-hant-tw']) {
    assert.equal(chosen(['zh', 'zh-Hant', 'zh-Hant-TW'], device), 'zh-Hant-TW', device)
    assert.equal(chosen(['zh', 'zh-Hant', 'zh-TW'], device), 'zh-TW', device)
    assert.equal(chosen(['zh', 'zh-Hant', 'zh-Hans'], device), 'zh-Hant', device)
    assert.equal(chosen(['zh', 'zh-Hans', 'zh-CN'], device), 'zh', device)
    assert.equal(chosen(['zh-Hans', 'en'], device), null, device)
  }
  assert.equal(chosen(['zh-Hans', 'zh-Hant'], 'zh-CN'), 'zh-Hans')
  assert.equal(chosen(['zh-Hans', 'zh-Hant'], 'zh-HK'), 'zh-Hant')
  assert.equal(chosen(['zh-Hant-HK', 'zh-Hant'], 'zh-Hant-MO'), 'zh-Hant')
})

test('two codes of one language are one, on either side', () => {
  for (const [old, now] of [
    ['iw', 'he'],
    ['in', 'id'],
    ['ji', 'yi'],
    ['no', 'nb'],
    ['tl', 'fil'],
  ] as const) {
    assert.equal(chosen(['en', now], `${old}-XX`), now)
    assert.equal(chosen(['en', old], now), old, 'the tag is given back as the caller wrote it')
  }
})

test('an unknown tag, and an attribute that is no tag, match nothing', () => {
  for (const device of ['xx', 'tlh-Latn', '', '-', '--', 'français', 'constructor', '__proto__', 'e']) {
    assert.equal(chosen(['en', 'fr'], device), null, device)
  }
  const long = `en-${'x'.repeat(LANGUAGE_LIMITS.tagCharsMax)}`
  assert.equal(chosen(['en'], long.slice(0, LANGUAGE_LIMITS.tagCharsMax)), 'en')
  assert.equal(chosen(['en'], long.slice(0, LANGUAGE_LIMITS.tagCharsMax + 1)), null)
})

test('an extension is left out with the letter that begins it', () => {
  assert.equal(chosen(['zh-Hant'], 'zh-Hant-x-private'), 'zh-Hant')
  assert.equal(chosen(['en'], 'en-u-ca-buddhist'), 'en')
})

test('the device decides before the person, the person before the brand, and then the default content is left', () => {
  const offer = { languages: ['fr', 'de', 'it'], brand: 'it-CH' }
  assert.deepEqual(choose(offer, { device: 'de-AT', person: 'fr' }), ['de', 'device'])
  assert.deepEqual(choose(offer, { device: 'ja', person: 'fr' }), ['fr', 'person'])
  assert.deepEqual(choose(offer, { person: 'fr-CA' }), ['fr', 'person'])
  assert.deepEqual(choose(offer, { device: 'ja', person: 'ko' }), ['it', 'brand'])
  assert.deepEqual(choose({ ...offer, brand: 'fr' }, { device: 'ja' }), ['fr', 'brand'])
  assert.deepEqual(choose({ ...offer, brand: 'en' }, { device: 'ja' }), [null, 'brand'])
  assert.deepEqual(choose({ ...offer, brand: null }, { device: 'ja' }), [null, 'nobody'])
})

test('the default content is in the brand’s language, so a device of that language gets it before others are asked', () => {
  const offer = { languages: ['fr'], brand: 'en' }
  assert.deepEqual(choose(offer, { device: 'en-GB', person: 'fr' }), [null, 'device'])
  assert.deepEqual(choose({ ...offer, brand: null }, { device: 'en-GB', person: 'fr' }), ['fr', 'person'])
  assert.deepEqual(choose({ languages: ['en-GB'], brand: 'en' }, { device: 'en-GB' }), ['en-GB', 'device'])
  assert.deepEqual(choose({ languages: ['en-GB'], brand: 'en' }, { device: 'en-US' }), [null, 'device'])
})
