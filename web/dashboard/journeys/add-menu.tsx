import { ActionIcon, Menu } from '@mantine/core'
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs'
import type { ReactNode } from 'react'
import { JOURNEY_STEPS } from '../../../src/rules/journey-steps.ts'
import { Icon } from '../kit/icon.tsx'
import { useTexts } from '../kit/texts.tsx'
import { type Draft, isKind, type WayFrom } from './draft.ts'
import { addStep } from './edits.ts'
import { KIND_ICONS } from './kind-icons.ts'
import { JOURNEY_TEXTS } from './texts.ts'

type AddMenuProps = {
  readonly draft: Draft
  readonly at: WayFrom
  readonly onAdd: (draft: Draft, id: string) => void
  readonly label: string
  /** The content of the button that opens the menu; a plus when absent. */
  readonly children?: ReactNode
}

/** Offers the kinds of steps, and puts the chosen one into a way. */
export function AddMenu({ draft, at, onAdd, label, children }: AddMenuProps) {
  const { kinds } = useTexts(JOURNEY_TEXTS)
  return (
    <Menu position="bottom-start" width={190}>
      <Menu.Target>
        {children ?? (
          <ActionIcon aria-label={label} size={20} variant="default" radius="xl">
            <Icon of={IconPlus} size={12} />
          </ActionIcon>
        )}
      </Menu.Target>
      <Menu.Dropdown>
        {Object.keys(JOURNEY_STEPS)
          .filter(isKind)
          .map((kind) => (
            <Menu.Item
              key={kind}
              leftSection={<Icon of={KIND_ICONS[kind]} />}
              onClick={() => {
                const { draft: changed, id } = addStep(draft, kind, at)
                onAdd(changed, id)
              }}
            >
              {kinds[kind]}
            </Menu.Item>
          ))}
      </Menu.Dropdown>
    </Menu>
  )
}
