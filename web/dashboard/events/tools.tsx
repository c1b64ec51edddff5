import { Button } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { curlOf, outgoingOf } from '../kit/call.ts'
import { Empty } from '../kit/empty.tsx'
import { KIT_TEXTS } from '../kit/kit-texts.ts'
import { useTexts } from '../kit/texts.tsx'
import { EVENTS_TEXTS } from './texts.ts'
import styles from './tools.module.css'

/** A share of a whole as a bar. */
export function ShareBar({ share }: { readonly share: number }) {
  return (
    <span className={styles.share} aria-hidden>
      <i style={{ width: `${Math.max(0, Math.min(100, 100 * share))}%` }} />
    </span>
  )
}

const FIRST_EVENT = {
  body: {
    nv: [
      { userID: 'u-1001', event_name: 'purchase', ltv: '12.90', attributes: { tea: 'Sencha', grams: 100 } },
    ],
  },
}

/** The empty state of every view: the command that logs a first event on this host. */
export function FirstEvent() {
  const { first } = useTexts(EVENTS_TEXTS)
  const { curl } = useTexts(KIT_TEXTS)
  const { copy, copied } = useClipboard()
  const command = curlOf(outgoingOf('POST /api/event', FIRST_EVENT))
  return (
    <Empty title={first.title} text={first.text}>
      {/* A wide command scrolls by itself, so it takes the focus of the keyboard. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <pre className={styles.curl} tabIndex={0} role="region" aria-label={first.command}>
        {command}
      </pre>
      <Button onClick={() => copy(command)}>{copied ? curl.copied : curl.copy}</Button>
    </Empty>
  )
}
