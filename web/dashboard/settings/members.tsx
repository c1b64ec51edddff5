import { Button, Select, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { TEAM_ROLE_NAMES } from '../../../src/rules/team.ts'
import type { Role } from '../../client/api/common.ts'
import type { Member } from '../../client/api/members.ts'
import { Card, Stack } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useMe } from '../kit/member.ts'
import { Pill } from '../kit/pill.tsx'
import { useRead, useWrite } from '../kit/queries.ts'
import { type Column, Table } from '../kit/table.tsx'
import { useTexts } from '../kit/texts.tsx'
import styles from './page.module.css'
import { SecretNote } from './secret-note.tsx'
import { SETTINGS_TEXTS } from './texts.ts'

const REFRESHES = ['GET /api/v1/team/members'] as const

/** The team: who is in it, with which role. */
export function MembersSection() {
  const { members: texts } = useTexts(SETTINGS_TEXTS)
  const { data, error } = useRead('GET /api/v1/team/members', { query: { limit: 200 } })
  const columns: readonly Column<Member>[] = [
    {
      name: texts.name,
      cell: ({ name, email }) => (
        <>
          <b>{name}</b> <span className="quiet">{email}</span>
        </>
      ),
    },
    { name: texts.role, cell: (member) => <RoleChoice member={member} /> },
    { name: texts.second, cell: ({ two_factor: has }) => (has ? texts.yes : texts.no) },
    {
      name: texts.state,
      cell: ({ state }) => <Pill tone={state === 'active' ? 'ok' : 'live'}>{texts.states[state]}</Pill>,
    },
    { name: texts.more, cell: (member) => <MemberActions member={member} /> },
  ]
  return (
    <Stack>
      <Invite />
      <Card title={texts.title} inset="flush">
        {error !== null && <FailureNote error={error} />}
        <Table label={texts.title} columns={columns} rows={data?.members} keyOf={({ id }) => id} />
      </Card>
    </Stack>
  )
}

function useRoles(): { value: Role; label: string }[] {
  const { members: texts } = useTexts(SETTINGS_TEXTS)
  return TEAM_ROLE_NAMES.map((name) => ({ value: name, label: texts.roles[name] }))
}

function roleOf(name: string | null): Role {
  return TEAM_ROLE_NAMES.find((role) => role === name) ?? 'analyst'
}

function RoleChoice({ member }: { readonly member: Member }) {
  const { members: texts } = useTexts(SETTINGS_TEXTS)
  const write = useWrite('PATCH /api/v1/team/members/{id}', { refreshes: REFRESHES })
  return (
    <>
      <Select
        aria-label={texts.roleOf(member.name === '' ? member.email : member.name)}
        size="xs"
        w={130}
        allowDeselect={false}
        data={useRoles()}
        value={member.role}
        onChange={(role) => write.mutate({ path: { id: member.id }, body: { role: roleOf(role) } })}
      />
      {write.error !== null && <FailureNote error={write.error} />}
    </>
  )
}

function MemberActions({ member }: { readonly member: Member }) {
  const { members: texts } = useTexts(SETTINGS_TEXTS)
  const { data } = useMe()
  const [isAsking, setIsAsking] = useState(false)
  const reset = useWrite('POST /api/v1/team/members/{id}/reset', { refreshes: REFRESHES })
  const remove = useWrite('DELETE /api/v1/team/members/{id}', { refreshes: REFRESHES })
  const path = { id: member.id }
  const link = reset.data?.link
  const error = reset.error ?? remove.error
  return (
    <>
      <div className={styles.right}>
        <Button size="compact-sm" onClick={() => reset.mutate({ path })}>
          {texts.newLink}
        </Button>
        {data?.member.id !== member.id && (
          <Button
            size="compact-sm"
            c="var(--bad)"
            onClick={() => (isAsking ? remove.mutate({ path }) : setIsAsking(true))}
          >
            {isAsking ? texts.removeSure : texts.remove}
          </Button>
        )}
      </div>
      {error !== null && <FailureNote error={error} />}
      {link !== undefined && link !== null && <SecretNote text={texts.link} secret={link.url} />}
      {link === null && <p role="status">{texts.noLink}</p>}
    </>
  )
}

function Invite() {
  const { members: texts } = useTexts(SETTINGS_TEXTS)
  const [draft, setDraft] = useState({ email: '', name: '', role: roleOf('editor') })
  const invite = useWrite('POST /api/v1/team/members', { refreshes: REFRESHES })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    invite.mutate({ body: draft })
  }
  const { link, mailed } = invite.data ?? {}
  return (
    <Card
      title={texts.invite}
      aside={<CopyCurl endpoint="POST /api/v1/team/members" input={{ body: draft }} />}
    >
      <form className={styles.form} onSubmit={submit}>
        <div className={styles.row}>
          <TextInput
            className={styles.grow}
            label={texts.email}
            type="email"
            required
            withAsterisk={false}
            value={draft.email}
            onChange={({ currentTarget }) => setDraft({ ...draft, email: currentTarget.value })}
          />
          <TextInput
            className={styles.grow}
            label={texts.name}
            value={draft.name}
            onChange={({ currentTarget }) => setDraft({ ...draft, name: currentTarget.value })}
          />
        </div>
        <Select
          label={texts.role}
          description={texts.summaries[draft.role]}
          allowDeselect={false}
          data={useRoles()}
          value={draft.role}
          onChange={(role) => setDraft({ ...draft, role: roleOf(role) })}
        />
        {invite.error !== null && <FailureNote error={invite.error} />}
        {invite.isSuccess && link !== null && link !== undefined && (
          <SecretNote text={mailed === true ? texts.mailed : texts.link} secret={link.url} />
        )}
        <Button type="submit" variant="filled" loading={invite.isPending}>
          {texts.send}
        </Button>
      </form>
    </Card>
  )
}
