import { Button, PasswordInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { SIGN_IN } from '../../../src/rules/sign-in.ts'
import type { ReplyOf } from '../kit/call.ts'
import { callAuth } from '../kit/call.ts'
import { Card, Stack } from '../kit/card.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useMe } from '../kit/member.ts'
import { Pill } from '../kit/pill.tsx'
import { useRead, useWrite } from '../kit/queries.ts'
import { type Column, Table } from '../kit/table.tsx'
import { useTexts } from '../kit/texts.tsx'
import { Time } from '../kit/time.tsx'
import { ACCOUNT_TEXTS } from './account-texts.ts'
import { Claim } from './claim.tsx'
import styles from './page.module.css'
import { Passkeys } from './passkeys.tsx'
import { TwoFactor } from './two-factor.tsx'

/** The reader's own sign-in: password, second factor, passkeys, sessions. */
export function AccountSection() {
  const texts = useTexts(ACCOUNT_TEXTS)
  const { data } = useMe()
  if (data?.member.is_placeholder === true) return <Claim />
  return (
    <Stack>
      <Card title={texts.title} aside={data?.member.email}>
        <NewPassword />
      </Card>
      {data !== undefined && <TwoFactor isOn={data.member.two_factor} />}
      <Passkeys />
      <Sessions />
    </Stack>
  )
}

function NewPassword() {
  const texts = useTexts(ACCOUNT_TEXTS)
  const [current, setCurrent] = useState('')
  const [wanted, setWanted] = useState('')
  const write = useMutation({
    mutationFn: async () => callAuth('/password', { current_password: current, new_password: wanted }),
    onSuccess: () => {
      setCurrent('')
      setWanted('')
    },
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    write.mutate()
  }
  const show = { 'aria-label': texts.show }
  return (
    <form className={styles.form} onSubmit={submit}>
      <PasswordInput
        label={texts.current}
        autoComplete="current-password"
        required
        withAsterisk={false}
        visibilityToggleButtonProps={show}
        value={current}
        onChange={({ currentTarget }) => setCurrent(currentTarget.value)}
      />
      <PasswordInput
        label={texts.wanted}
        description={texts.wantedHint(SIGN_IN.passwordCharsMin)}
        autoComplete="new-password"
        required
        withAsterisk={false}
        visibilityToggleButtonProps={show}
        value={wanted}
        onChange={({ currentTarget }) => setWanted(currentTarget.value)}
      />
      {write.error !== null && <FailureNote error={write.error} />}
      {write.isSuccess && <p role="status">{texts.changed}</p>}
      <div>
        <Button type="submit" loading={write.isPending}>
          {texts.change}
        </Button>
      </div>
    </form>
  )
}

type Session = ReplyOf<'GET /api/v1/me/sessions'>['sessions'][number]

function Sessions() {
  const texts = useTexts(ACCOUNT_TEXTS)
  const { data, error } = useRead('GET /api/v1/me/sessions', {})
  const end = useWrite('DELETE /api/v1/me/sessions/{id}', { refreshes: ['GET /api/v1/me/sessions'] })
  const columns: readonly Column<Session>[] = [
    { name: texts.device, cell: ({ device }) => browserOf(device) },
    { name: texts.network, cell: ({ network }) => network ?? '' },
    { name: texts.since, cell: ({ created_at: at }) => <Time at={at} how="ago" /> },
    {
      name: texts.more,
      cell: ({ id, current }) =>
        current ? (
          <Pill tone="ok">{texts.here}</Pill>
        ) : (
          <Button size="compact-sm" onClick={() => end.mutate({ path: { id } })}>
            {texts.end}
          </Button>
        ),
    },
  ]
  return (
    <Card title={texts.sessions} inset="flush">
      {error !== null && <FailureNote error={error} />}
      <Table label={texts.sessions} columns={columns} rows={data?.sessions} keyOf={({ id }) => id} />
    </Card>
  )
}

const BROWSERS = ['Firefox', 'Edg', 'Chrome', 'Safari'] as const
const SYSTEMS = ['Windows', 'Android', 'iPhone', 'iPad', 'Mac OS X', 'Linux'] as const

/** The browser and the system in two words, from how the browser names itself. */
function browserOf(agent: string | null): string {
  const browser = BROWSERS.find((name) => agent?.includes(name))
  const system = SYSTEMS.find((name) => agent?.includes(name))
  return [browser === 'Edg' ? 'Edge' : browser, system].filter((word) => word !== undefined).join(', ')
}
