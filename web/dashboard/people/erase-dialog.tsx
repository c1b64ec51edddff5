import { Button, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useGo } from '../kit/address.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useWrite } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import { PEOPLE_TEXTS } from './texts.ts'

/** An erasure cannot be undone, so it asks for the id of the person. */
export function EraseDialog({ userId, onClose }: { readonly userId: string; readonly onClose: () => void }) {
  const { erase } = useTexts(PEOPLE_TEXTS)
  const [typed, setTyped] = useState('')
  const go = useGo()
  const input = { body: { nv: [{ userID: userId }] } }
  const write = useWrite('POST /api/v1/user/delete', {
    refreshes: ['GET /api/v1/users'],
    onDone: () => go('/people'),
  })
  return (
    <Dialog opened onClose={onClose} title={erase.title}>
      <p className="small">{erase.text(userId)}</p>
      <TextInput
        mt={12}
        label={erase.field}
        data-autofocus
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      {write.error !== null && <FailureNote error={write.error} />}
      <Group mt={16} justify="flex-end">
        <CopyCurl endpoint="POST /api/v1/user/delete" input={input} />
        <Button onClick={onClose}>{erase.cancel}</Button>
        <Button
          variant="filled"
          disabled={typed !== userId}
          loading={write.isPending}
          onClick={() => write.mutate(input)}
        >
          {erase.go}
        </Button>
      </Group>
    </Dialog>
  )
}
