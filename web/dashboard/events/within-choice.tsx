import { SegmentedControl } from '@mantine/core'
import { useSearchWords } from '../kit/address.tsx'
import { useTexts } from '../kit/texts.tsx'
import { EVENTS_TEXTS } from './texts.ts'
import { useWithin, WITHIN_NAMES, type WithinName } from './within.ts'

type WithinChoiceProps = {
  readonly label: string
  readonly usual: WithinName
}

/** The most time from the first event of a walk to its last. */
export function WithinChoice({ label, usual }: WithinChoiceProps) {
  const { withins } = useTexts(EVENTS_TEXTS)
  const [, change] = useSearchWords()
  return (
    <SegmentedControl
      aria-label={label}
      value={useWithin(usual)}
      onChange={(name) => change({ within: name === usual ? '' : name })}
      data={WITHIN_NAMES.map((name) => ({ value: name, label: withins[name] }))}
    />
  )
}
