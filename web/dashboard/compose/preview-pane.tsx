import { Popover, UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import { PersonPicker } from '../kit/person-picker.tsx'
import { Preview } from '../kit/preview/preview.tsx'
import { useRead } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import type { Focus } from './draft.ts'
import styles from './page.module.css'
import type { Rendered } from './rendered.ts'
import { COMPOSE_TEXTS } from './texts.ts'

type PaneProps = {
  readonly rendered: Rendered | undefined
  readonly platforms: readonly string[]
  readonly focus: Pick<Focus, 'platform'>
  readonly person: string
  readonly setPerson: (userId: string) => void
  /** The words for the person whom the server chose. */
  readonly anybody?: string
}

/** The message as a chosen person will see it. It is rendered by the server, as it will be when it is sent. */
export function PreviewPane({ rendered, platforms, focus, person, setPerson, anybody }: PaneProps) {
  const { preview } = useTexts(COMPOSE_TEXTS)
  const { data } = useRead('GET /api/v1/brand', {})
  const [isOpen, setOpen] = useState(false)
  const shown = Object.fromEntries(
    Object.entries(rendered?.platforms ?? {}).map(([platform, one]) => [platform, one?.shown ?? null]),
  )
  return (
    <aside className={styles.pane} aria-label={preview.choose}>
      <Preview
        shown={shown}
        app={data?.brand.name ?? ''}
        site={siteOf(data?.brand.allowed_origins ?? [])}
        platforms={platforms}
        focus={focus.platform}
      />
      <p className={`small quiet ${styles.as}`}>
        {preview.as} <b className={styles.strong}>{person === '' ? (anybody ?? preview.first) : person}</b>{' '}
        {preview.sees}
        {' · '}
        <Popover withinPortal={false} opened={isOpen} onChange={setOpen} trapFocus>
          <Popover.Target>
            <UnstyledButton className={styles.other ?? ''} onClick={() => setOpen(!isOpen)}>
              {preview.other}
            </UnstyledButton>
          </Popover.Target>
          <Popover.Dropdown className={styles.picker ?? ''}>
            <PersonPicker
              label={preview.choose}
              value={person}
              onChange={(userId) => {
                setPerson(userId)
                if (userId !== '') setOpen(false)
              }}
            />
          </Popover.Dropdown>
        </Popover>
      </p>
    </aside>
  )
}

/** The first site that may talk to the brand. */
function siteOf([first]: readonly string[]): string {
  return first !== undefined && URL.canParse(first) ? new URL(first).host : location.host
}
