import { Button, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { ReplyOf } from '../kit/call.ts'
import { Card, Stack } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useMay } from '../kit/member.ts'
import { useRead, useWrite } from '../kit/queries.ts'
import { type Column, Table } from '../kit/table.tsx'
import { useTexts } from '../kit/texts.tsx'
import styles from './page.module.css'
import { SETTINGS_TEXTS } from './texts.ts'

type Topic = ReplyOf<'GET /api/v1/topics'>['topics'][number]

/** The kinds of messages that people can opt out of. */
export function TopicsSection() {
  const { topics: texts } = useTexts(SETTINGS_TEXTS)
  const { data, error } = useRead('GET /api/v1/topics', {})
  const mayChange = useMay('brand')
  const archive = useWrite('POST /api/v1/topics/{name}/archive', { refreshes: ['GET /api/v1/topics'] })
  const columns: readonly Column<Topic>[] = [
    { name: texts.title, cell: ({ title }) => <b>{title}</b> },
    { name: texts.name, cell: ({ name }) => <code>{name}</code> },
    { name: texts.description, cell: ({ description }) => <span className="quiet">{description}</span> },
    {
      name: texts.more,
      cell: ({ name, is_reserved: isReserved }) =>
        isReserved || !mayChange ? (
          <span className="tiny faint">{isReserved ? texts.reserved : ''}</span>
        ) : (
          <Archive onGo={() => archive.mutate({ path: { name } })} />
        ),
    },
  ]
  return (
    <Stack>
      {mayChange && <NewTopic />}
      <Card title={texts.list} inset="flush">
        {(error ?? archive.error) !== null && <FailureNote error={error ?? archive.error ?? new Error()} />}
        <Table label={texts.list} columns={columns} rows={data?.topics} keyOf={({ name }) => name} />
      </Card>
    </Stack>
  )
}

/** An archived topic does not come back, so the first click only asks. */
function Archive({ onGo }: { readonly onGo: () => void }) {
  const { topics: texts } = useTexts(SETTINGS_TEXTS)
  const [isAsking, setIsAsking] = useState(false)
  return (
    <Button
      size="compact-sm"
      {...(isAsking ? { c: 'var(--bad)' } : {})}
      onClick={() => (isAsking ? onGo() : setIsAsking(true))}
    >
      {isAsking ? texts.archiveSure : texts.archive}
    </Button>
  )
}

function NewTopic() {
  const { topics: texts } = useTexts(SETTINGS_TEXTS)
  const [draft, setDraft] = useState({ name: '', title: '', description: '' })
  const create = useWrite('POST /api/v1/topics', {
    refreshes: ['GET /api/v1/topics'],
    onDone: () => setDraft({ name: '', title: '', description: '' }),
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    create.mutate({ body: draft })
  }
  return (
    <Card title={texts.new} aside={<CopyCurl endpoint="POST /api/v1/topics" input={{ body: draft }} />}>
      <form className={styles.form} onSubmit={submit}>
        <p className="small quiet">{texts.hint}</p>
        {(['title', 'name', 'description'] as const).map((field) => (
          <TextInput
            key={field}
            label={texts[field]}
            required={field !== 'description'}
            withAsterisk={false}
            placeholder={texts.examples[field]}
            value={draft[field]}
            onChange={({ currentTarget }) => setDraft({ ...draft, [field]: currentTarget.value })}
          />
        ))}
        {create.error !== null && <FailureNote error={create.error} />}
        <Button type="submit" variant="filled" loading={create.isPending}>
          {texts.make}
        </Button>
      </form>
    </Card>
  )
}
