import { KIT_TEXTS } from './kit-texts.ts'
import { useLanguage, useTexts } from './texts.tsx'
import { shortOf } from './time.tsx'

type AsOfProps = {
  /** When the numbers were read, in milliseconds; 0 until they came. */
  readonly at: number
  readonly isEstimated?: boolean
}

/** Says that numbers are exact or estimated, and as of when. */
export function AsOf({ at, isEstimated = false }: AsOfProps) {
  const kit = useTexts(KIT_TEXTS)
  const { language } = useLanguage()
  if (at === 0) return null
  return (
    <span className="small quiet">
      {isEstimated ? kit.estimated : kit.exact}, {kit.asOf(shortOf(new Date(at), language))}
    </span>
  )
}
