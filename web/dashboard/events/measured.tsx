import { Amount } from '../kit/number.tsx'

type MeasuredProps = {
  readonly value: number | null | undefined
  /** Null where no address can have just these events. */
  readonly to: string | null
}

/** A number that leads to the events it was made from. Where there is nothing to average, there is no number. */
export function Measured({ value, to }: MeasuredProps) {
  if (value === null || value === undefined) return <span className="num">{NO_NUMBER}</span>
  return <Amount value={value} to={to ?? undefined} />
}

const NO_NUMBER = '–'

/** The same in words. */
export function numberText(value: number | null | undefined, amount: (value: number) => string): string {
  return value === null || value === undefined ? NO_NUMBER : amount(value)
}
