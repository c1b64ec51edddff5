import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contentKey } from '../../src/domain/push/alternatives.ts'
import type { Content } from '../../src/domain/push/message.ts'
import { parsePushBody } from '../../src/http/push/body.ts'
import { LANGUAGE_CONTENT, LANGUAGE_LIMITS } from '../../src/rules/languages.ts'
import { PLATFORMS } from '../../src/rules/platforms.ts'
import { PUSH_FIELDS } from '../../src/rules/push-fields.ts'
import { acceptedDraft, faultsOf, leastBody, PUSH_ADDRESSES } from '../support/push/push.ts'

const IOS = { platform: 'ios', mode: 'all' } as const
const WEB = { platform: 'web', mode: 'all' } as const

function contentIn(language: string, extra: object): Content | undefined {
  const { alternatives } = acceptedDraft(IOS, extra)
  return alternatives?.contents[contentKey({ variant: null, language })]
}

function warningsOf(languages: unknown): readonly string[] {
  const parsed = parsePushBody(IOS, { ...leastBody(IOS), languages })
  assert.ok(parsed.ok, parsed.ok ? '' : JSON.stringify(parsed.rejection.faults))
  return parsed.value.warnings.map(({ field, code }) => `${field}:${code}`)
}

/** A template of so many turns. */
function loop(turns: number): string {
  return `{% for i in (1..${turns}) %}{% endfor %}x`
}

/** So many languages, each with this content. */
function manyLanguages(count: number, content: object): object {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`en-x${at}`, content]))
}

test('a language has whole contents: its own fields over those of the body', () => {
  const extra = {
    url: 'https://shop.example/en',
    button_one_title: 'Buy',
    button_one_url: 'https://shop.example/buy',
    badge: 3,
    languages: {
      fr: { title: 'Bonjour', url: 'https://shop.example/fr', button_one_title: 'Acheter' },
      'pt-BR': {},
    },
  }
  const draft = acceptedDraft(IOS, extra)
  assert.deepEqual(draft.alternatives?.languages, ['fr', 'pt-BR'])
  assert.deepEqual(contentIn('fr', extra), {
    ...draft.content,
    title: 'Bonjour',
    url: 'https://shop.example/fr',
    buttons: [{ title: 'Acheter', url: 'https://shop.example/buy' }],
  })
  assert.deepEqual(contentIn('pt-BR', extra), draft.content)
})

test('a button without a link of its own opens the link of its language', () => {
  const extra = {
    url: 'https://e.example/',
    button_one_title: 'Go',
    languages: { fr: { url: 'https://f.example/' } },
  }
  assert.deepEqual(contentIn('fr', extra)?.buttons, [{ title: 'Go', url: 'https://f.example/' }])
})

test('all nine endpoints take languages; null and no language are the same as none', () => {
  for (const address of PUSH_ADDRESSES) {
    assert.ok(acceptedDraft(address, { languages: { fr: { title: 'Salut' } } }).alternatives !== null)
  }
  for (const languages of [null, {}, { fr: null }]) {
    assert.equal(acceptedDraft(IOS, { languages }).alternatives, null)
  }
})

test('every content field is taken in a language, and every other field of a push is refused there', () => {
  for (const { name } of PUSH_FIELDS) {
    if (name === 'languages') continue
    const found = faultsOf(IOS, { languages: { fr: { [name]: 'https://x.example/' } } })
    const isContent = LANGUAGE_CONTENT.includes(name)
    const isLoneButton = name.startsWith('button_') && name.endsWith('_url')
    const expected = isContent && !isLoneButton ? [] : [`languages.fr.${name}:field_conflict`]
    assert.deepEqual(found, expected, name)
  }
})

test('a limit holds in each language, and the fault names it', () => {
  const max = PLATFORMS.ios.titleCharsMax
  const long = 'x'.repeat(max + 1)
  assert.deepEqual(
    faultsOf(IOS, { languages: { fr: { title: 'x'.repeat(max) }, 'pt-BR': { title: long } } }),
    ['languages.pt-BR.title:field_too_long'],
  )
  assert.deepEqual(faultsOf(IOS, { title: long, languages: { fr: { title: long } } }), [
    'title:field_too_long',
    'languages.fr.title:field_too_long',
  ])
  assert.deepEqual(faultsOf(WEB, { languages: { fr: { title: long } } }), [])
  assert.deepEqual(faultsOf(IOS, { languages: { fr: { title: '{{ nope', message: '' } } }), [
    'languages.fr.title:template_invalid',
    'languages.fr.message:field_empty',
  ])
})

test('a key that is no language tag, or the same language as another one, is refused', () => {
  for (const tag of ['français', 'e', 'english-language', 'en-', '', '__proto__', 'default']) {
    assert.deepEqual(faultsOf(IOS, { languages: Object.fromEntries([[tag, { title: 'x' }]]) }), [
      `languages.${tag}:field_invalid`,
    ])
  }
  for (const [one, other] of [
    ['pt-BR', 'pt_br'],
    ['he', 'iw'],
    ['zh-TW', 'zh-Hant-TW'],
  ] as const) {
    assert.deepEqual(faultsOf(IOS, { languages: { [one]: { title: 'x' }, [other]: { title: 'y' } } }), [
      `languages.${other}:field_conflict`,
    ])
  }
  assert.deepEqual(faultsOf(IOS, { languages: { fr: 'Bonjour' } }), ['languages.fr:field_type'])
  assert.deepEqual(faultsOf(IOS, { languages: ['fr'] }), ['languages:field_type'])
})

test('a misspelt field of a language is refused, a stranger and an empty language are warned of', () => {
  assert.deepEqual(faultsOf(IOS, { languages: { fr: { titel: 'x' } } }), ['languages.fr.titel:unknown_field'])
  assert.deepEqual(warningsOf({ fr: { title: 'x', colour_of_the_day: 'red' } }), [
    'languages.fr.colour_of_the_day:unknown_field',
  ])
  assert.deepEqual(warningsOf({ fr: {} }), ['languages.fr:no_effect'])
  for (const name of ['language', 'translations', 'locales']) {
    assert.deepEqual(faultsOf(IOS, { [name]: { fr: { title: 'x' } } }), [`${name}:unknown_field`])
  }
})

test('as many languages as may be, and not one more', () => {
  assert.deepEqual(
    faultsOf(IOS, { languages: manyLanguages(LANGUAGE_LIMITS.languagesMax, { title: 't' }) }),
    [],
  )
  assert.deepEqual(
    faultsOf(IOS, { languages: manyLanguages(LANGUAGE_LIMITS.languagesMax + 1, { title: 't' }) }),
    ['languages:field_too_long'],
  )
  const large = { fr: { message: 'x'.repeat(LANGUAGE_LIMITS.contentsBytesMax) } }
  assert.deepEqual(faultsOf(WEB, { languages: large }), ['languages:field_too_long'])
})

test('the templates of all languages share one measure of work', () => {
  assert.deepEqual(faultsOf(WEB, { languages: manyLanguages(20, { message: loop(100) }) }), [])
  const many = manyLanguages(LANGUAGE_LIMITS.languagesMax - 1, { message: loop(20_000) })
  const found = faultsOf(WEB, { languages: { de: { title: '{% break %}' }, ...many } })
  assert.equal(found.length, 1)
  assert.match(found[0] ?? '', /^languages\.en-x[1-9]\d?\.message:template_too_costly$/)
})

test('the texts with Liquid have a bound together, which no text without Liquid counts for', () => {
  const { templateCharsMax } = LANGUAGE_LIMITS
  const each = templateCharsMax / 20
  const text = `{{ user.name }}`.padEnd(each, 'x')
  assert.deepEqual(
    faultsOf(WEB, { languages: manyLanguages(20, { message: text, title: 'x'.repeat(500) }) }),
    [],
  )
  assert.deepEqual(faultsOf(WEB, { languages: manyLanguages(21, { message: text }) }), [
    'languages:field_too_long',
  ])
})
