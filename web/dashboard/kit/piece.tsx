import { Button } from '@mantine/core'
import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import { KIT_TEXTS } from './kit-texts.ts'
import styles from './piece.module.css'
import { untilHere } from './reach.ts'
import { useTexts } from './texts.tsx'

/** Loads a chunk of the script. A server that restarts is waited for; a chunk of an older Beckon stays lost. */
export async function loadPiece<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch {
    await untilHere()
    return load()
  }
}

/** A component in a chunk of its own. A chunk that is gone, after an update, does not take the page with it. */
export function lazyPiece<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => {
    try {
      return { default: await loadPiece(load) }
    } catch {
      return { default: PieceGone }
    }
  })
}

/** Loading again is left to the reader, because the page may hold something half written. */
function PieceGone() {
  const { updated } = useTexts(KIT_TEXTS)
  return (
    <div className={styles.gone} role="alert">
      <p>{updated.text}</p>
      <Button size="compact-sm" onClick={() => location.reload()}>
        {updated.reload}
      </Button>
    </div>
  )
}
