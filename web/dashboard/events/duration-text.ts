import { useLanguage } from '../kit/texts.tsx'

/** A time as a person says it: in the longest unit of which there is more than one and a half. */
export function useDurationText(): (seconds: number) => string {
  const { language } = useLanguage()
  return (seconds) => {
    const [unit, length] = UNITS.find(([, size]) => seconds >= 1.5 * size) ?? SECOND
    const format = { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 1 } as const
    return new Intl.NumberFormat(language, format).format(seconds / length)
  }
}

const SECOND = ['second', 1] as const
const UNITS = [['day', 86_400], ['hour', 3_600], ['minute', 60], SECOND] as const
