import { Popover, UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import { PersonPicker } from '../kit/person-picker.tsx'
import { Preview } from '../kit/preview/preview.tsx'
import { useRead } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import type { Focus } from './draft.ts'
import styles from './page.module.css'
import type { DryRun } from './reach.tsx'
import { COMPOSE_TEXTS } from './texts.ts'

type PaneProps = {
  readonly dryRun: DryRun | undefined
  readonly platforms: readonly string[]
  readonly focus: Focus
  readonly person: string
  readonly setPerson: (userId: string) => void
}

/** The message as a chosen person will see it. It is rendered by the server, as it will be when it is sent. */
export function PreviewPane({ dryRun, platforms, focus, person, setPerson }: PaneProps) {
  const { preview } = useTexts(COMPOSE_TEXTS)
  const { data } = useRead('GET /api/v1/brand', {})
  const [isOpen, setOpen] = useState(false)
  const shown = Object.fromEntries(
    Object.entries(dryRun?.platforms ?? {}).map(([platform, one]) => [platform, one?.shown ?? null]),
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
        {preview.as} <b className={styles.strong}>{person === '' ? preview.first : person}</b> {preview.sees}
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
