import { Modal } from '@mantine/core'
import { useTexts } from '../kit/texts.tsx'
import { FINDER_TEXTS } from './finder-texts.ts'
import styles from './key-list.module.css'
import { LETTERS } from './shortcuts.tsx'
import { SHELL_TEXTS } from './texts.ts'

/** All keys that work on every page. */
export function KeyList({ onClose }: { readonly onClose: () => void }) {
  const texts = useTexts(FINDER_TEXTS)
  const { pages } = useTexts(SHELL_TEXTS)
  const names = new Map(Object.entries(pages).map(([name, label]) => [addressOfPage(name), label]))
  return (
    <Modal opened onClose={onClose} title={texts.keys} closeButtonProps={{ 'aria-label': texts.close }}>
      <dl className={styles.keys}>
        <Row keys={['⌘', 'K']} text={texts.find} />
        <Row keys={['c']} text={texts.compose} />
        <Row keys={['?']} text={texts.keys} />
        {Object.entries(LETTERS).map(([letter, address]) => (
          <Row key={letter} keys={['g', letter]} text={names.get(address) ?? address} />
        ))}
      </dl>
    </Modal>
  )
}

function addressOfPage(name: string): string {
  return name === 'home' ? '/' : `/${name}`
}

function Row({ keys, text }: { readonly keys: readonly string[]; readonly text: string }) {
  return (
    <div className={styles.row}>
      <dt>{text}</dt>
      <dd>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dd>
    </div>
  )
}
