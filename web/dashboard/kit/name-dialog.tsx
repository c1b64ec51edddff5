import { Button, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Endpoint, Input } from './call.ts'
import { CopyCurl } from './copy-curl.tsx'
import { Dialog } from './dialog.tsx'
import { FailureNote } from './failure-note.tsx'
import { useWrite, type WriteOptions } from './queries.ts'

type NameDialogProps<Name extends Endpoint> = WriteOptions<Name> & {
  readonly words: {
    readonly title: string
    /** The effect of the button, in a sentence. */
    readonly text: string
    readonly field: string
    readonly go: string
    readonly cancel: string
  }
  /** The name that the reader must type. */
  readonly name: string
  readonly endpoint: Name
  readonly input: Input<Name>
  readonly onClose: () => void
}

/** Asks for the name of a thing before a deed that cannot be undone. */
export function NameDialog<Name extends Endpoint>({
  words,
  name,
  endpoint,
  input,
  onClose,
  ...options
}: NameDialogProps<Name>) {
  const [typed, setTyped] = useState('')
  const write = useWrite(endpoint, options)
  return (
    <Dialog opened onClose={onClose} title={words.title}>
      <p className="small" style={{ overflowWrap: 'anywhere' }}>
        {words.text}
      </p>
      <TextInput
        mt={12}
        label={words.field}
        data-autofocus
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      {write.error !== null && <FailureNote error={write.error} />}
      <Group mt={16} justify="flex-end">
        <CopyCurl endpoint={endpoint} input={input} />
        <Button onClick={onClose}>{words.cancel}</Button>
        <Button
          variant="filled"
          disabled={typed.trim() !== name.trim()}
          loading={write.isPending}
          onClick={() => write.mutate(input)}
        >
          {words.go}
        </Button>
      </Group>
    </Dialog>
  )
}
