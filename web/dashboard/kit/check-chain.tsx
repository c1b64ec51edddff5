import type { Check, Reason } from '../../client/api/common.ts'
import styles from './check-chain.module.css'
import { CHECK_TEXTS, FINDINGS } from './check-texts.ts'
import { type Language, useLanguage, useTexts } from './texts.tsx'
import { shortOf, Time } from './time.tsx'

const SIGNS = { passed: '✓', failed: '✕', waits: '…', not_reached: '·' } as const

/** The checks between a message and a person: passed up to the one that stops it, with the value that was seen. */
export function CheckChain({ checks }: { readonly checks: readonly Check[] }) {
  return (
    <ol className={styles.chain}>
      {checks.map((check) => (
        <Link key={check.check} check={check} />
      ))}
    </ol>
  )
}

function Link({ check: { check, result, rule, seen, at, until } }: { readonly check: Check }) {
  const texts = useTexts(CHECK_TEXTS)
  const { language } = useLanguage()
  const names: Readonly<Record<string, string | undefined>> = texts.names
  const rules: Readonly<Record<string, string | undefined>> = texts.rules
  const isStop = result === 'failed' || result === 'waits'
  return (
    <li className={styles[result]} data-check={check} data-result={result}>
      <span className={styles.ring} aria-hidden>
        {SIGNS[result]}
      </span>
      <div className={styles.words}>
        <b>{names[check] ?? check}</b>
        <span className={isStop ? styles.result : 'sr-only'}>
          {texts.results[result]}
          {until !== null && ` ${texts.until(shortOf(new Date(until), language))}`}
        </span>
        {seen.map((reason) => (
          <p key={reason.message} className="quiet">
            {sayFinding(reason, language)}
          </p>
        ))}
        {isStop && (
          <p className="small quiet">
            {texts.rule} {rules[check] ?? rule}
          </p>
        )}
      </div>
      {at !== null && (
        <span className={`small quiet num ${styles.time}`}>
          <Time at={at} />
        </span>
      )}
    </li>
  )
}

/** A sentence with its times as a person says them. */
export function sayFinding({ code, message, values = {} }: Reason, language: Language): string {
  const { sentences, valueOf } = FINDINGS[language]
  const fill = (_: string, word: string): string => valueOf(values[word] ?? word)
  const text = sentences[code]?.replaceAll(/\{(\w+)\}/g, fill) ?? message
  return text.replaceAll(INSTANT, (at) => shortOf(new Date(at), language))
}

const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g
