import { Button, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { callAuth } from '../kit/call.ts'
import { Card } from '../kit/card.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { makePasskey } from '../kit/passkey.ts'
import { QUERIES } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import { ACCOUNT_TEXTS } from './account-texts.ts'
import styles from './page.module.css'

type Passkey = { readonly id: string; readonly name: string }

const KEY = ['passkeys']

/** Passkeys: a fingerprint or a device in the place of the password. */
export function Passkeys() {
  const texts = useTexts(ACCOUNT_TEXTS)
  const [name, setName] = useState('')
  const list = useQuery({ queryKey: KEY, queryFn: loadPasskeys })
  const reload = async (): Promise<void> => QUERIES.invalidateQueries({ queryKey: KEY })
  const add = useMutation({ mutationFn: async () => makePasskey(name), onSuccess: reload })
  const remove = useMutation({
    mutationFn: async (id: string) => callAuth(`/passkeys/${id}`, null, 'DELETE'),
    onSuccess: reload,
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    add.mutate()
  }
  const error = list.error ?? add.error ?? remove.error
  return (
    <Card title={texts.passkeys}>
      <ul className={styles.plain}>
        {list.data?.map((passkey) => (
          <li key={passkey.id}>
            {passkey.name === '' ? texts.unnamed : passkey.name}{' '}
            <Button size="compact-xs" onClick={() => remove.mutate(passkey.id)}>
              {texts.removePasskey}
            </Button>
          </li>
        ))}
      </ul>
      {error !== null && <FailureNote error={error} />}
      <form className={styles.row} onSubmit={submit}>
        <TextInput
          label={texts.passkeyName}
          placeholder={texts.passkeyHint}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Button type="submit" loading={add.isPending}>
          {texts.addPasskey}
        </Button>
      </form>
    </Card>
  )
}

async function loadPasskeys(): Promise<readonly Passkey[]> {
  const { passkeys } = Object(await callAuth('/passkeys', null, 'GET'))
  return Array.isArray(passkeys)
    ? passkeys.map(({ id, name }) => ({ id: String(id), name: String(name) }))
    : []
}
