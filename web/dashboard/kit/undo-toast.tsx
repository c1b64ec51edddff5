import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'

type Undoable = {
  /** The deed, in a sentence. */
  readonly done: string
  readonly undo: string
  readonly onUndo: () => void
}

/** Says what was done, and takes it back with one click. It stays long enough to be read and reached. */
export function showUndo({ done, undo, onUndo }: Undoable): void {
  const id = crypto.randomUUID()
  const takeBack = (): void => {
    notifications.hide(id)
    onUndo()
  }
  notifications.show({
    id,
    autoClose: SHOWN_MS,
    message: (
      <Group justify="space-between" wrap="nowrap">
        <span>{done}</span>
        <Button size="compact-sm" onClick={takeBack}>
          {undo}
        </Button>
      </Group>
    ),
  })
}

const SHOWN_MS = 12_000
