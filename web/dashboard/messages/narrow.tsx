import { Button, Select } from '@mantine/core'
import { RECEIPT_KINDS } from '../../../src/rules/push.ts'
import { useSearchWords } from '../kit/address.tsx'
import { PLATFORM_LABELS } from '../kit/platform-labels.ts'
import { useLanguage, useTexts } from '../kit/texts.tsx'
import { wordsOf } from './cause-words.ts'
import type { Message } from './message.ts'
import styles from './message-page.module.css'
import { MESSAGE_TEXTS } from './message-texts.ts'
import { NO_TIME, TimeButton } from './time-button.tsx'

const STATES = ['accepted', 'retrying', 'failed', 'expired', 'cancelled'] as const

/** The part of a query for deliveries that the address has. */
export function useNarrowing() {
  const [{ state: stateName, reason = '', receipt: receiptName, from = '', to = '' }] = useSearchWords()
  const state = STATES.find((name) => name === stateName)
  const receipt = RECEIPT_KINDS.find((name) => name === receiptName)
  return {
    ...(state && { state }),
    ...(reason !== '' && { reason }),
    ...(receipt && { receipt }),
    ...(receipt && from !== '' && { from }),
    ...(receipt && to !== '' && { to }),
  }
}

/** Whether the address asks for the people whom a campaign reached, each once. */
export function usePerPerson({ campaign }: Message): boolean {
  const [words] = useSearchWords()
  return campaign !== null && words['per'] === 'person'
}

/** The platform, the state and whatever else narrows the recipients, each with a way out of it. */
export function Narrow({ message }: { readonly message: Message }) {
  const { people: texts } = useTexts(MESSAGE_TEXTS)
  const [words, change] = useSearchWords()
  if (usePerPerson(message)) {
    return (
      <div className={styles.narrow}>
        <Button size="compact-sm" onClick={() => change({ per: '' })} rightSection="×">
          {texts.reason(texts.perPerson)}
        </Button>
      </div>
    )
  }
  return (
    <div className={styles.narrow}>
      {message.parts.length > 1 && (
        <Select
          aria-label={texts.platform}
          allowDeselect={false}
          data={[
            { value: '', label: texts.everywhere },
            ...message.parts.map(({ id, platform }) => ({ value: id, label: PLATFORM_LABELS[platform] })),
          ]}
          value={message.parts.find(({ id }) => id === words['part'])?.id ?? ''}
          onChange={(value) => change({ part: value ?? '', reason: '' })}
        />
      )}
      <Select
        aria-label={texts.state}
        allowDeselect={false}
        data={[
          { value: '', label: texts.all },
          ...STATES.map((name) => ({ value: name, label: texts.states[name] })),
        ]}
        value={STATES.find((name) => name === words['state']) ?? ''}
        onChange={(value) => change({ state: value ?? '', reason: '' })}
      />
      <Others />
    </div>
  )
}

/** The reason, the report of a device and its time. */
function Others() {
  const { people: texts, clicks } = useTexts(MESSAGE_TEXTS)
  const { language } = useLanguage()
  const [words, change] = useSearchWords()
  const { reason = '', from = '', to = '' } = words
  const receipt = RECEIPT_KINDS.find((name) => name === words['receipt'])
  return (
    <>
      {reason !== '' && (
        <Button size="compact-sm" onClick={() => change({ reason: '' })} rightSection="×">
          {texts.reason(wordsOf(reason, language).cause)}
        </Button>
      )}
      {receipt !== undefined && (
        <>
          <Button size="compact-sm" onClick={() => change({ receipt: '', ...NO_TIME })} rightSection="×">
            {texts.reason(clicks[receipt])}
          </Button>
          <TimeButton {...{ from, to }} onDrop={() => change(NO_TIME)} />
        </>
      )}
    </>
  )
}
