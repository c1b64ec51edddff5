import { Button, Drawer } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { curlOf, type Outgoing, outgoingOf } from '../kit/call.ts'
import { useDoneCalls } from '../kit/done-calls.ts'
import { KIT_TEXTS } from '../kit/kit-texts.ts'
import { QUERIES } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import { Time } from '../kit/time.tsx'
import styles from './call-drawer.module.css'
import { SHELL_TEXTS } from './texts.ts'

type CallDrawerProps = { readonly isOpen: boolean; readonly onClose: () => void }

/** The calls of the public API that the reader has made since the page was opened, and those that the page makes. */
export function CallDrawer({ isOpen, onClose }: CallDrawerProps) {
  const { calls } = useTexts(SHELL_TEXTS)
  const done = useDoneCalls()
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      title={calls.title}
      size={440}
      closeButtonProps={{ 'aria-label': calls.close }}
    >
      <h3 className={styles.head}>{calls.did}</h3>
      {done.length === 0 && <p className="small quiet">{calls.nothing}</p>}
      <ul className={styles.calls}>
        {done.map((call) => (
          <CallLine key={call.at} call={call} at={call.at} />
        ))}
      </ul>
      <h3 className={styles.head}>{calls.asks}</h3>
      <ul className={styles.calls}>
        {asked().map((call) => (
          <CallLine key={`${call.url} ${call.body}`} call={call} />
        ))}
      </ul>
    </Drawer>
  )
}

/** The reads that the page shows at present. */
function asked(): readonly Outgoing[] {
  const calls = QUERIES.getQueryCache()
    .findAll({ type: 'active' })
    .map(({ queryKey: [, endpoint, input] }) => outgoingOf(String(endpoint), Object(input)))
  return [...new Map(calls.map((call) => [`${call.url} ${call.body}`, call])).values()]
}

function CallLine({ call, at }: { readonly call: Outgoing; readonly at?: number }) {
  const { curl } = useTexts(KIT_TEXTS)
  const { copy, copied } = useClipboard()
  return (
    <li className={styles.call}>
      <code>
        {call.method} {call.url}
      </code>
      {at !== undefined && (
        <span className="tiny faint">
          <Time at={new Date(at).toISOString()} how="ago" />
        </span>
      )}
      <Button size="compact-sm" aria-label={`${curl.copy}: ${call.url}`} onClick={() => copy(curlOf(call))}>
        {copied ? curl.copied : curl.copy}
      </Button>
    </li>
  )
}
