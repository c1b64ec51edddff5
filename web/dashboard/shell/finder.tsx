import { useDebouncedValue } from '@mantine/hooks'
import { createSpotlight, Spotlight } from '@mantine/spotlight'
import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs'
import { useEffect, useState } from 'react'
import { useGo } from '../kit/address.tsx'
import { Icon } from '../kit/icon.tsx'
import { useTexts } from '../kit/texts.tsx'
import { TYPING_MS } from '../kit/typing.ts'
import styles from './finder.module.css'
import { FINDER_TEXTS } from './finder-texts.ts'
import { useFinds } from './finds.ts'

const [STORE, SPOTLIGHT] = createSpotlight()

type FinderProps = {
  /** Grows with every wish to open it. */
  readonly wanted: number
  readonly onKeys: () => void
}

/** ⌘K: pages, people, segments, journeys, campaigns and actions, by a few letters. */
export function Finder({ wanted, onKeys }: FinderProps) {
  const texts = useTexts(FINDER_TEXTS)
  const go = useGo()
  const [query, setQuery] = useState('')
  const [asked] = useDebouncedValue(query.trim(), TYPING_MS)
  const groups = useFinds(query.trim(), asked)
  useEffect(() => {
    if (wanted > 0) SPOTLIGHT.open()
  }, [wanted])
  const follow = (to: string): void => {
    if (to === 'keys') return onKeys()
    if (to.startsWith('/docs')) return location.assign(to)
    go(to)
  }
  return (
    <Spotlight.Root
      store={STORE}
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      scrollable
      maxHeight={420}
      centered={false}
      overlayProps={{ blur: 0, backgroundOpacity: 0.3 }}
      classNames={{ content: styles.content ?? '', actionsGroup: styles.group ?? '' }}
      attributes={{ content: { 'aria-label': texts.find } }}
    >
      <Spotlight.Search
        placeholder={texts.hint}
        aria-label={texts.find}
        leftSection={<Icon of={IconSearch} />}
      />
      <Spotlight.ActionsList>
        {groups.map(({ name, finds }) => (
          <Spotlight.ActionsGroup key={name} label={texts.groups[name]}>
            {finds.map(({ to, label, detail }) => (
              <Spotlight.Action
                key={`${to} ${label}`}
                label={label}
                {...(detail === undefined ? {} : { description: detail })}
                onClick={() => follow(to)}
              />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {groups.length === 0 && <Spotlight.Empty>{texts.none}</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  )
}
