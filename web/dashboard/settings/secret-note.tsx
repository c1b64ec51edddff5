import { Button } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { useTexts } from '../kit/texts.tsx'
import styles from './page.module.css'
import { SETTINGS_TEXTS } from './texts.ts'

/** A secret or a one-time link, shown once. */
export function SecretNote({ text, secret }: { readonly text: string; readonly secret: string }) {
  const { copy: copyText, copied: copiedText } = useTexts(SETTINGS_TEXTS)
  const { copy, copied } = useClipboard()
  return (
    <div className={styles.secret} role="status">
      <p>{text}</p>
      <code>{secret}</code>
      <div>
        <Button size="compact-sm" onClick={() => copy(secret)}>
          {copied ? copiedText : copyText}
        </Button>
      </div>
    </div>
  )
}
