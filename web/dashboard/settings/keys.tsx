import { Button, MultiSelect, Select, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { KEY_KINDS } from '../../../src/rules/brand.ts'
import type { Key, Scope } from '../../client/api/keys.ts'
import { Card, Stack } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useMay } from '../kit/member.ts'
import { Pill } from '../kit/pill.tsx'
import { useRead, useWrite } from '../kit/queries.ts'
import { type Column, Table } from '../kit/table.tsx'
import { useTexts } from '../kit/texts.tsx'
import { Time } from '../kit/time.tsx'
import styles from './page.module.css'
import { SecretNote } from './secret-note.tsx'
import { SETTINGS_TEXTS } from './texts.ts'

/** The keys of programs. A key is shown once, when it is made. */
export function KeysSection() {
  const { keys: texts } = useTexts(SETTINGS_TEXTS)
  const { data, error } = useRead('GET /api/v1/brand/keys', { query: { limit: 200 } })
  const mayChange = useMay('brand', 'keys')
  const columns: readonly Column<Key>[] = [
    { name: texts.label, cell: ({ label, kind }) => (label === '' ? texts.kinds[kind] : label) },
    { name: texts.key, cell: ({ hint }) => <code>{hint}…</code> },
    { name: texts.scopes, cell: ({ scopes }) => <span className="quiet">{scopes.join(', ')}</span> },
    { name: texts.made, cell: ({ created_at: at }) => <Time at={at} /> },
    { name: texts.state, cell: (key) => <KeyState row={key} mayChange={mayChange} /> },
  ]
  return (
    <Stack>
      {mayChange && <NewKey />}
      <Card title={texts.title} inset="flush">
        {error !== null && <FailureNote error={error} />}
        <Table label={texts.title} columns={columns} rows={data?.keys} keyOf={({ id }) => String(id)} />
      </Card>
    </Stack>
  )
}

function KeyState({ row, mayChange }: { readonly row: Key; readonly mayChange: boolean }) {
  const { keys: texts } = useTexts(SETTINGS_TEXTS)
  const revoke = useWrite('POST /api/v1/brand/keys/{id}/revoke', { refreshes: ['GET /api/v1/brand/keys'] })
  const [isAsking, setIsAsking] = useState(false)
  if (row.revoked_at !== null) return <Pill tone="bad">{texts.revoked}</Pill>
  if (!mayChange) return <Pill tone="ok">{texts.works}</Pill>
  // A revoked key cannot come back, so the first click only asks.
  return isAsking ? (
    <Button size="compact-sm" c="var(--bad)" onClick={() => revoke.mutate({ path: { id: String(row.id) } })}>
      {texts.revokeSure}
    </Button>
  ) : (
    <Button size="compact-sm" onClick={() => setIsAsking(true)}>
      {texts.revoke}
    </Button>
  )
}

function NewKey() {
  const { keys: texts } = useTexts(SETTINGS_TEXTS)
  const [label, setLabel] = useState('')
  const [kind, setKind] = useState<Key['kind']>('secret')
  const [scopes, setScopes] = useState<readonly Scope[]>([])
  const create = useWrite('POST /api/v1/brand/keys', { refreshes: ['GET /api/v1/brand/keys'] })
  const own = kind === 'secret' && scopes.length > 0 ? { scopes } : {}
  const body = { kind, label, ...own }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    create.mutate({ body })
  }
  const made = create.data?.key.api_key
  return (
    <Card title={texts.new} aside={<CopyCurl endpoint="POST /api/v1/brand/keys" input={{ body }} />}>
      <form className={styles.form} onSubmit={submit}>
        <TextInput
          label={texts.label}
          placeholder={texts.labelHint}
          value={label}
          onChange={({ currentTarget }) => setLabel(currentTarget.value)}
        />
        <Select
          label={texts.kind}
          allowDeselect={false}
          data={(['secret', 'publishable'] as const).map((name) => ({
            value: name,
            label: texts.kinds[name],
          }))}
          value={kind}
          onChange={(chosen) => setKind(chosen === 'publishable' ? 'publishable' : 'secret')}
        />
        {kind === 'secret' && (
          <MultiSelect
            label={texts.scopes}
            placeholder={scopes.length === 0 ? texts.allScopes : ''}
            data={[...KEY_KINDS.secret.scopes]}
            value={[...scopes]}
            onChange={(chosen) =>
              setScopes(KEY_KINDS.secret.scopes.filter((scope) => chosen.includes(scope)))
            }
          />
        )}
        {create.error !== null && <FailureNote error={create.error} />}
        {typeof made === 'string' && <SecretNote text={texts.once} secret={made} />}
        <Button type="submit" variant="filled" loading={create.isPending}>
          {texts.make}
        </Button>
      </form>
    </Card>
  )
}
