import { Checkbox, Group } from '@mantine/core'
import { useTexts } from '../kit/texts.tsx'
import { ALL_PLATFORMS, type ControlProps } from './draft.ts'
import { COMPOSE_TEXTS } from './texts.ts'

/** The kinds of devices that the message is for; one at least. */
export function Platforms({ draft, change }: ControlProps) {
  const { who } = useTexts(COMPOSE_TEXTS)
  const names: Readonly<Record<string, string>> = who.names
  return (
    <Checkbox.Group
      aria-label={who.platforms}
      value={[...draft.platforms]}
      onChange={(chosen) =>
        chosen.length > 0 && change({ platforms: ALL_PLATFORMS.filter((one) => chosen.includes(one)) })
      }
    >
      <Group gap={18}>
        {ALL_PLATFORMS.map((name) => (
          <Checkbox key={name} size="xs" value={name} label={names[name]} />
        ))}
      </Group>
    </Checkbox.Group>
  )
}
