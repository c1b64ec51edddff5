import { ActionIcon } from '@mantine/core'
import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs'
import { Link, useSearchWords } from '../kit/address.tsx'
import type { ReplyOf } from '../kit/call.ts'
import { Icon } from '../kit/icon.tsx'
import { Count, useFormat } from '../kit/number.tsx'
import { useTexts } from '../kit/texts.tsx'
import { useDurationText } from './duration-text.ts'
import styles from './funnel.module.css'
import { peopleAddress } from './funnel-people.tsx'
import { EVENTS_TEXTS } from './texts.ts'

export type Reached = NonNullable<ReplyOf<'POST /api/v1/events/funnel'>['funnel']>[number]

type StepsProps = {
  readonly steps: readonly string[]
  readonly setSteps: (steps: readonly string[]) => void
  readonly reached: readonly Reached[]
}

/** The steps, each with those who reached it and the time that half of them took. */
export function Steps({ steps, setSteps, reached }: StepsProps) {
  const [words] = useSearchWords()
  return (
    <ol className={styles['steps']}>
      {steps.map((name, at) => (
        <Step
          key={`${at}${name}`}
          name={name}
          users={reached[at]?.users}
          seconds={reached[at]?.seconds ?? null}
          before={reached[at - 1]?.users}
          first={reached[0]?.users}
          toUsers={peopleAddress(words, { step: at + 1, did: 'reached' })}
          toLost={peopleAddress(words, { step: at + 1, did: 'stopped' })}
          onRemove={() => setSteps(steps.filter((_, other) => other !== at))}
        />
      ))}
    </ol>
  )
}

type StepProps = {
  readonly name: string
  readonly users: number | undefined
  /** The median of the time from the first step. */
  readonly seconds: number | null
  readonly before: number | undefined
  readonly first: number | undefined
  /** The addresses of the people who did it, and of those who stopped before it. */
  readonly toUsers: string
  readonly toLost: string
  readonly onRemove: () => void
}

/** A step without an answer has no numbers. */
function Step({ name, users, seconds, before, first = 0, toUsers, toLost, onRemove }: StepProps) {
  const { funnel: texts } = useTexts(EVENTS_TEXTS)
  const format = useFormat()
  const durationText = useDurationText()
  const share = first === 0 ? 0 : (users ?? 0) / first
  return (
    <li className={styles['step']}>
      <span className={styles['name']}>{name}</span>
      <span className={styles['bar']} aria-hidden>
        <i style={{ width: `${100 * share}%` }} />
      </span>
      <span className={styles['users']}>
        {users === undefined ? '–' : <Count value={users} to={toUsers} />}
      </span>
      <span className={styles['share']}>{users !== undefined && format.share(share)}</span>
      <span className={`${styles['time']} quiet`}>
        {seconds !== null && <span title={texts.median}>{texts.after(durationText(seconds))}</span>}
      </span>
      <span className={`${styles['lost']} quiet`}>
        {before !== undefined && users !== undefined && before > users && (
          <Link to={toLost}>{texts.lost(format.count(before - users))}</Link>
        )}
      </span>
      <ActionIcon aria-label={texts.remove(name)} onClick={onRemove}>
        <Icon of={IconX} size={15} />
      </ActionIcon>
    </li>
  )
}
