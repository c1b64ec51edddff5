import { Button } from '@mantine/core'
import { useLanguage, useTexts } from '../kit/texts.tsx'
import { shortOf } from '../kit/time.tsx'
import { MESSAGE_TEXTS } from './message-texts.ts'

/** The words of an address that name no time. */
export const NO_TIME = { from: '', to: '' } as const

type TimeButtonProps = { readonly from: string; readonly to: string; readonly onDrop: () => void }

/** The time that narrows a list, with a way out of it; nothing without one. */
export function TimeButton({ from, to, onDrop }: TimeButtonProps) {
  const { people: texts } = useTexts(MESSAGE_TEXTS)
  const { language } = useLanguage()
  if (from === '' && to === '') return null
  const said = (text: string): string => (text === '' ? '' : shortOf(new Date(text), language))
  return (
    <Button size="compact-sm" rightSection="×" onClick={onDrop}>
      {texts.reason(texts.span(said(from), said(to)))}
    </Button>
  )
}
