import { Button } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { useTexts } from '../kit/texts.tsx'
import styles from './code.module.css'
import { HOME_TEXTS } from './texts.ts'

/** Lines to take elsewhere, with a button that copies them. */
export function Code({ text }: { readonly text: string }) {
  const { own } = useTexts(HOME_TEXTS)
  const { copy, copied } = useClipboard()
  return (
    <div className={styles.box}>
      <pre className={styles.code}>{text}</pre>
      <Button size="compact-xs" className={styles.copy ?? ''} onClick={() => copy(text)}>
        {copied ? own.copied : own.copy}
      </Button>
    </div>
  )
}
