import { Button } from '@mantine/core'
import IconSend from '@tabler/icons-react/dist/esm/icons/IconSend.mjs'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { User } from '../../client/api/profiles.ts'
import { addressOf, useGo, usePathWord, useSearchWords } from '../kit/address.tsx'
import { Columns, Stack } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { Empty } from '../kit/empty.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { Icon } from '../kit/icon.tsx'
import { useMay } from '../kit/member.ts'
import { Page } from '../kit/page.tsx'
import { Pill } from '../kit/pill.tsx'
import { useRead } from '../kit/queries.ts'
import { PageSkeleton } from '../kit/skeleton.tsx'
import { useTexts } from '../kit/texts.tsx'
import { About, Attributes } from './about.tsx'
import { Devices } from './devices.tsx'
import { EraseDialog } from './erase-dialog.tsx'
import { exportPerson } from './export-person.ts'
import { Merges } from './merges.tsx'
import { IDENTITY_KINDS, nameOf } from './person.ts'
import { Preferences } from './preferences.tsx'
import { PEOPLE_TEXTS } from './texts.ts'
import { TimeLine } from './time-line.tsx'
import { WhyNot } from './why-not.tsx'

/** One person: who, on which devices, why a message did not come, and everything that happened. */
export function PersonPage() {
  const texts = useTexts(PEOPLE_TEXTS)
  const id = usePathWord('userId')
  const [words] = useSearchWords()
  const by = IDENTITY_KINDS.find((kind) => kind === words['by']) ?? 'user_id'
  const found = useRead('GET /api/v1/users', { query: { search: id, sort: 'identifier', limit: 50 } })
  if (found.error !== null) return <FailureNote error={found.error} onRetry={() => void found.refetch()} />
  if (found.data === undefined) return <PageSkeleton />
  const person = found.data.users.find(({ identities }) =>
    identities.some(({ kind, value }) => kind === by && value === id),
  )
  if (person === undefined)
    return <Empty title={texts.person.notFoundTitle} text={texts.person.notFoundText} />
  return <Person person={person} id={id} by={by} />
}

type PersonProps = {
  readonly person: User
  readonly id: string
  readonly by: (typeof IDENTITY_KINDS)[number]
}

function Person({ person, id, by }: PersonProps) {
  const texts = useTexts(PEOPLE_TEXTS)
  const { userID: userId, platforms } = person
  const line = { path: { user_id: id }, query: { by } }
  return (
    <Page
      title={nameOf(person, texts.anonymous)}
      above={{ name: texts.title, to: '/people' }}
      state={
        <Pill tone={platforms.length > 0 ? 'ok' : 'plain'}>
          {texts.person.devicesState(platforms.length)}
        </Pill>
      }
      actions={
        <>
          <CopyCurl endpoint="GET /api/v1/users/{user_id}/timeline" input={line} />
          <Actions person={person} />
        </>
      }
    >
      <Columns wide="last">
        <Stack>
          <About person={person} />
          <Attributes person={person} />
          {userId !== null && <Devices userId={userId} />}
          {userId !== null && <Preferences userId={userId} />}
          <Merges id={id} by={by} />
        </Stack>
        <Stack>
          {userId !== null && <WhyNot userId={userId} />}
          <TimeLine id={id} by={by} />
        </Stack>
      </Columns>
    </Page>
  )
}

/** Everything that is stored about the person, as a file; the audit log has a line for it. */
function ExportButton({ userId }: { readonly userId: string }) {
  const { person: texts } = useTexts(PEOPLE_TEXTS)
  const write = useMutation({ mutationFn: async () => exportPerson(userId) })
  return (
    <>
      <Button loading={write.isPending} onClick={() => write.mutate()}>
        {texts.export}
      </Button>
      {write.error !== null && <FailureNote error={write.error} />}
    </>
  )
}

function Actions({ person }: { readonly person: User }) {
  const { person: texts } = useTexts(PEOPLE_TEXTS)
  const go = useGo()
  const [isErasing, setIsErasing] = useState(false)
  const mayChange = useMay('profiles')
  const mayWrite = useMay('push', 'draft')
  const { userID: userId } = person
  if (userId === null) return null
  return (
    <>
      {mayChange && (
        <Button c="var(--bad)" onClick={() => setIsErasing(true)}>
          {texts.erase}
        </Button>
      )}
      {mayChange && <ExportButton userId={userId} />}
      {mayWrite && (
        <Button
          variant="filled"
          leftSection={<Icon of={IconSend} />}
          onClick={() => go(addressOf('/compose', { person: userId }))}
        >
          {texts.message}
        </Button>
      )}
      {isErasing && <EraseDialog userId={userId} onClose={() => setIsErasing(false)} />}
    </>
  )
}
