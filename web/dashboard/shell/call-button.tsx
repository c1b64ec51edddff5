import IconTerminal2 from '@tabler/icons-react/dist/esm/icons/IconTerminal2.mjs'
import { lazy, Suspense, useState } from 'react'
import { Icon } from '../kit/icon.tsx'
import { useTexts } from '../kit/texts.tsx'
import styles from './rail.module.css'
import { SHELL_TEXTS } from './texts.ts'

const CallDrawer = lazy(async () => ({ default: (await import('./call-drawer.tsx')).CallDrawer }))

/** Opens the list of calls that this page made, each of which can be copied as curl. */
export function CallButton() {
  const { calls } = useTexts(SHELL_TEXTS)
  const [isOpen, setOpen] = useState<boolean | null>(null)
  return (
    <>
      <button
        type="button"
        className={`${styles.link} ${styles.wide}`}
        title={calls.title}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <Icon of={IconTerminal2} />
        <span className={styles.word}>{calls.title}</span>
      </button>
      {isOpen !== null && (
        <Suspense fallback={null}>
          <CallDrawer isOpen={isOpen} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
