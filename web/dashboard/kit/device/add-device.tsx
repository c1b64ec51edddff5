import { Button, Group, Modal, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { VIRTUAL_KINDS } from '../../../../src/rules/virtual-devices.ts'
import { CopyCurl } from '../copy-curl.tsx'
import { FailureNote } from '../failure-note.tsx'
import { useWrite } from '../queries.ts'
import { useTexts } from '../texts.tsx'
import { DEVICE_TEXTS } from './texts.ts'

/** A button that asks for the kind, the name and the person of a new virtual device. */
export function AddDevice() {
  const texts = useTexts(DEVICE_TEXTS)
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button variant="filled" onClick={() => setOpen(true)}>
        {texts.add}
      </Button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={texts.add}
        closeButtonProps={{ 'aria-label': texts.cancel }}
      >
        <AddForm onDone={() => setOpen(false)} />
      </Modal>
    </>
  )
}

function AddForm({ onDone }: { readonly onDone: () => void }) {
  const texts = useTexts(DEVICE_TEXTS)
  const [kind, setKind] = useState<string>('iphone')
  const [name, setName] = useState('')
  const [person, setPerson] = useState('')
  const refreshes = ['GET /api/v1/virtual-devices', 'GET /api/v1/subscriptions'] as const
  const make = useWrite('POST /api/v1/virtual-devices', { refreshes, onDone })
  const named = name.trim() === '' ? {} : { name: name.trim() }
  const owned = person.trim() === '' ? {} : { user_id: person.trim() }
  const body = { kind: VIRTUAL_KINDS.find((known) => known === kind) ?? 'iphone', ...named, ...owned }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        make.mutate({ body })
      }}
    >
      <Stack gap="sm">
        <NativeSelect
          label={texts.kind}
          value={kind}
          onChange={({ currentTarget }) => setKind(currentTarget.value)}
          data={VIRTUAL_KINDS.map((value) => ({ value, label: texts.kinds[value] }))}
        />
        <TextInput
          label={texts.name}
          value={name}
          maxLength={100}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <TextInput
          label={texts.person}
          description={texts.personHint}
          value={person}
          onChange={({ currentTarget }) => setPerson(currentTarget.value)}
        />
        {make.error !== null && <FailureNote error={make.error} />}
        <Group justify="flex-end">
          <CopyCurl endpoint="POST /api/v1/virtual-devices" input={{ body }} />
          <Button onClick={onDone}>{texts.cancel}</Button>
          <Button variant="filled" type="submit" loading={make.isPending}>
            {texts.make}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
