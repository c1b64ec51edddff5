import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sentChecks } from '../../src/domain/push/checks.ts'
import { explanation } from '../../src/domain/push/explanation-text.ts'
import { CHECKS, SENT_CHECKS, SENT_REASONS } from '../../src/rules/checks.ts'
import { EXPLANATIONS, type ExplanationCode } from '../../src/rules/explanations.ts'
import { GERMAN_FINDINGS, germanValue } from '../../web/dashboard/kit/check-findings-de.ts'

/** The results of a chain, one letter each: passed, failed, waits, not reached. */
function resultsOf(codes: readonly ExplanationCode[], isCampaign = true): string {
  const reasons = codes.map((code) => explanation(code, { at: '2026-07-01T12:00:00.000Z' }))
  return sentChecks(reasons, { isCampaign })
    .map(({ state }) => ({ passed: 'p', failed: 'f', waits: 'w', not_reached: '-' })[state])
    .join('')
}

test('a chain is green up to the check that stopped the message, and not reached behind it', () => {
  assert.equal(resultsOf(['campaign_not_launched']), 'pf------------')
  assert.equal(resultsOf(['tag_missing']), 'ppppf---------')
  assert.equal(resultsOf(['frequency_capped']), 'pppppppppf----')
  assert.equal(resultsOf(['quiet_later']), 'ppppppppw-----')
  assert.equal(resultsOf(['obstructed']), 'ppppppppppf---')
  assert.equal(resultsOf(['scheduled']), 'pppppppppppw--')
  assert.equal(resultsOf(['accepted']), 'pppppppppppp--')
  assert.equal(resultsOf(['accepted', 'received', 'clicked']), 'pppppppppppppp')
  assert.equal(resultsOf(['tag_missing'], false), 'pppf-------', 'a single send has no groups')
})

test('the device that came farthest decides on the chain of its person', () => {
  assert.equal(resultsOf(['never_subscribed', 'frequency_capped']), 'pppppppppf----')
  assert.equal(resultsOf(['failed', 'accepted']), 'pppppppppppp--')
  assert.equal(resultsOf(['opted_out', 'retrying']), 'pppppppppppw--')
})

test('a check has its rule, the reasons that answer it and their time', () => {
  const at = '2026-07-01T12:00:00.000Z'
  const [capped] = sentChecks([explanation('frequency_capped', { cap: 1, at })], { isCampaign: true }).filter(
    ({ name }) => name === 'frequency_cap',
  )
  assert.equal(capped?.rule, CHECKS.frequency_cap)
  assert.equal(capped?.at, Date.parse(at))
  assert.match(capped?.findings[0]?.message ?? '', /as many notifications/)
})

test('each reason of a check is of a check of sent messages', () => {
  const names: readonly string[] = SENT_CHECKS
  for (const [code, verdict] of Object.entries(SENT_REASONS)) assert.ok(names.includes(verdict.check), code)
})

test('each explanation has a German sentence with known words', () => {
  for (const code of Object.keys(EXPLANATIONS))
    assert.ok(GERMAN_FINDINGS[code] !== undefined, `${code} in German`)
  const sentences: Readonly<Record<string, string | undefined>> = EXPLANATIONS
  for (const [code, german = ''] of Object.entries(GERMAN_FINDINGS)) {
    const known = new Set(wordsIn(sentences[code] ?? ''))
    assert.deepEqual(
      wordsIn(german).filter((word) => !known.has(word)),
      [],
      code,
    )
  }
})

function wordsIn(sentence: string): readonly string[] {
  return [...sentence.matchAll(/\{(\w+)\}/g)].map(([, word = '']) => word)
}

test('values that are words are German too, with their facts', () => {
  const german = {
    'The hour was chosen at the launch.': 'Die Stunde wurde beim Start gewählt.',
    'The message would be due at 2026-07-01T12:00:00.000Z.': 'Fällig wäre sie 2026-07-01T12:00:00.000Z.',
    'the language of the person is pt-BR': 'die Sprache der Person pt-BR ist',
    'no known language is offered (device: not set, person: not set, brand: de)':
      'keine bekannte Sprache angeboten wird (Gerät: nicht gesetzt, Person: nicht gesetzt, Marke: de)',
    'The device d-1': 'Das Gerät d-1',
    Rome: 'Rome',
  }
  for (const [english, said] of Object.entries(german)) assert.equal(germanValue(english), said)
})
