import { Link } from './address.tsx'
import { useLanguage } from './texts.tsx'

type CountProps = {
  readonly value: number
  /** The rows that the number counts or adds up. */
  readonly to?: string | undefined
}

/** A count in the reader's figures; a link to the rows that it counts, where there are such rows. */
export function Count({ value, to }: CountProps) {
  const format = useFormat()
  const text = <span className="num">{format.count(value)}</span>
  return to === undefined || value === 0 ? text : <Link to={to}>{text}</Link>
}

/** The same for an amount, which may have a fraction. */
export function Amount({ value, to }: CountProps) {
  const format = useFormat()
  const text = <span className="num">{format.amount(value)}</span>
  return to === undefined || value === 0 ? text : <Link to={to}>{text}</Link>
}

export type Format = {
  readonly count: (value: number) => string
  /** A share between 0 and 1 as per cent, with one decimal. */
  readonly share: (value: number) => string
  readonly amount: (value: number) => string
}

export function useFormat(): Format {
  const { language } = useLanguage()
  return FORMATS[language]
}

function formatOf(language: string): Format {
  const counts = new Intl.NumberFormat(language, { maximumFractionDigits: 0 })
  const shares = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 })
  const amounts = new Intl.NumberFormat(language, { maximumFractionDigits: 2 })
  return {
    count: (value) => counts.format(value),
    share: (value) => (Number.isFinite(value) ? shares.format(value) : '–'),
    amount: (value) => amounts.format(value),
  }
}

const FORMATS = { en: formatOf('en'), de: formatOf('de') }
