import { Button, FileInput, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { FailureNote } from '../kit/failure-note.tsx'
import { useWrite } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import { CHANNEL_TEXTS } from './channel-texts.ts'
import styles from './page.module.css'

type FormProps = { readonly onDone: () => void }

const REFRESHES = ['GET /api/v1/brand/channels'] as const

/** The service account of Firebase, as the file that its console gives. */
export function AndroidForm({ onDone }: FormProps) {
  const texts = useTexts(CHANNEL_TEXTS)
  const [text, setText] = useState('')
  const [isBroken, setIsBroken] = useState(false)
  const write = useWrite('PUT /api/v1/brand/channels/android', { refreshes: REFRESHES, onDone })
  const submit = (): void => {
    const account = parseFile(text)
    setIsBroken(account === null)
    if (account !== null) write.mutate({ body: { service_account: account } })
  }
  return (
    <ChannelForm error={write.error} isPending={write.isPending} onSubmit={submit}>
      <TextFile label={texts.serviceAccount} accept="application/json,.json" onText={setText} />
      <Textarea
        label={texts.serviceAccountText}
        autosize
        minRows={3}
        maxRows={8}
        error={isBroken ? texts.noJson : null}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
    </ChannelForm>
  )
}

type ServiceAccount = {
  readonly project_id: string
  readonly client_email: string
  readonly private_key: string
}

/** The API checks the fields; here it only has to be an object. */
function parseFile(text: string): ServiceAccount | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? Object(value) : null
  } catch {
    return null
  }
}

/** The key of Apple, as its .p8 file. */
export function IosForm({ onDone }: FormProps) {
  const texts = useTexts(CHANNEL_TEXTS)
  const [draft, setDraft] = useState({ key_p8: '', key_id: '', team_id: '', bundle_id: '' })
  const write = useWrite('PUT /api/v1/brand/channels/ios', { refreshes: REFRESHES, onDone })
  return (
    <ChannelForm
      error={write.error}
      isPending={write.isPending}
      onSubmit={() => write.mutate({ body: draft })}
    >
      <TextFile label={texts.p8} accept=".p8" onText={(text) => setDraft({ ...draft, key_p8: text })} />
      {(['key_id', 'team_id', 'bundle_id'] as const).map((name) => (
        <TextInput
          key={name}
          label={texts.ios[name]}
          required
          withAsterisk={false}
          value={draft[name]}
          onChange={({ currentTarget }) => setDraft({ ...draft, [name]: currentTarget.value.trim() })}
        />
      ))}
    </ChannelForm>
  )
}

/** Browsers need a key pair, which Beckon makes, and a contact. */
export function WebForm({ onDone }: FormProps) {
  const texts = useTexts(CHANNEL_TEXTS)
  const [subject, setSubject] = useState('')
  const write = useWrite('PUT /api/v1/brand/channels/web', { refreshes: REFRESHES, onDone })
  return (
    <ChannelForm
      error={write.error}
      isPending={write.isPending}
      onSubmit={() => write.mutate({ body: { subject } })}
    >
      <TextInput
        label={texts.subject}
        description={texts.subjectHint}
        placeholder="mailto:push@shop.example"
        required
        withAsterisk={false}
        value={subject}
        onChange={({ currentTarget }) => setSubject(currentTarget.value.trim())}
      />
    </ChannelForm>
  )
}

type ChannelFormProps = {
  readonly error: Error | null
  readonly isPending: boolean
  readonly onSubmit: () => void
  readonly children: ReactNode
}

function ChannelForm({ error, isPending, onSubmit, children }: ChannelFormProps) {
  const texts = useTexts(CHANNEL_TEXTS)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    onSubmit()
  }
  return (
    <form className={styles.form} onSubmit={submit} style={{ marginTop: 16 }}>
      {children}
      {error !== null && <FailureNote error={error} />}
      <Button type="submit" variant="filled" loading={isPending}>
        {texts.save}
      </Button>
    </form>
  )
}

type TextFileProps = {
  readonly label: string
  readonly accept: string
  readonly onText: (text: string) => void
}

/** The file is read in the browser and sent once, with the form. */
function TextFile({ label, accept, onText }: TextFileProps) {
  const texts = useTexts(CHANNEL_TEXTS)
  const read = (file: File | null): void => void file?.text().then(onText)
  return <FileInput label={label} placeholder={texts.choose} accept={accept} onChange={read} />
}
