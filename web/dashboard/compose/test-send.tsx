import { Button, Checkbox, Stack } from '@mantine/core'
import IconDeviceMobileMessage from '@tabler/icons-react/dist/esm/icons/IconDeviceMobileMessage.mjs'
import { useState } from 'react'
import { CAMPAIGN_LIMITS } from '../../../src/rules/campaigns.ts'
import type { ReplyOf } from '../kit/call.ts'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { useLiveVirtualDevices } from '../kit/device/virtual-devices.ts'
import { Dialog } from '../kit/dialog.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { Icon } from '../kit/icon.tsx'
import { PeoplePicker } from '../kit/person-picker.tsx'
import { useWrite } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import styles from './page.module.css'
import { COMPOSE_TEXTS } from './texts.ts'

type TestProps = { readonly campaignId: string | null; readonly person: string }

/** Sends the message now to a few people and virtual devices, as a test that nothing counts. */
export function TestSend({ campaignId, person }: TestProps) {
  const { test } = useTexts(COMPOSE_TEXTS)
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        leftSection={<Icon of={IconDeviceMobileMessage} />}
        disabled={campaignId === null}
        onClick={() => setOpen(true)}
      >
        {test.button}
      </Button>
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title={test.title}>
        <TestForm campaignId={campaignId ?? ''} person={person} />
      </Dialog>
    </>
  )
}

const SEND = 'POST /api/v1/campaigns/{campaign_id}/test'

function TestForm({ campaignId, person }: { readonly campaignId: string; readonly person: string }) {
  const { test } = useTexts(COMPOSE_TEXTS)
  const [people, setPeople] = useState<readonly string[]>(person === '' ? [] : [person])
  const [devices, setDevices] = useState<readonly string[]>([])
  const send = useWrite(SEND)
  const body = {
    ...(people.length === 0 ? {} : { user_ids: people }),
    ...(devices.length === 0 ? {} : { subscription_ids: devices }),
  }
  const input = { path: { campaign_id: campaignId }, body }
  const isNobody = people.length + devices.length === 0
  return (
    <div className={styles.fields}>
      <p className="small quiet">{test.text}</p>
      <PeoplePicker
        label={test.people}
        value={people}
        max={CAMPAIGN_LIMITS.testUsersMax}
        onChange={setPeople}
      />
      <VirtualChoice value={devices} onChange={setDevices} />
      {send.error !== null && <FailureNote error={send.error} />}
      <p className="small" role="status">
        {send.data !== undefined && <Outcome sent={send.data} />}
      </p>
      <div className={styles.ends}>
        {isNobody ? <span /> : <CopyCurl endpoint={SEND} input={input} />}
        <Button
          variant="filled"
          disabled={isNobody}
          loading={send.isPending}
          onClick={() => send.mutate(input)}
        >
          {test.send}
        </Button>
      </div>
    </div>
  )
}

type VirtualChoiceProps = {
  readonly value: readonly string[]
  readonly onChange: (ids: readonly string[]) => void
}

function VirtualChoice({ value, onChange }: VirtualChoiceProps) {
  const { test } = useTexts(COMPOSE_TEXTS)
  const devices = (useLiveVirtualDevices() ?? []).filter(({ state }) => state === 'live')
  if (devices.length === 0) return null
  return (
    <Checkbox.Group label={test.devices} value={[...value]} onChange={onChange}>
      <Stack gap={8} mt={6}>
        {devices.map(({ subscription_id: id, name, user_id: user }) => (
          <Checkbox key={id} size="xs" value={id} label={user === null ? name : `${name} · ${user}`} />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}

/** On its way, until a virtual device shows it. */
function Outcome({ sent }: { readonly sent: ReplyOf<typeof SEND> }) {
  const { test } = useTexts(COMPOSE_TEXTS)
  const devices = useLiveVirtualDevices() ?? []
  const ids = new Set(sent.notifications.map(({ id }) => id))
  const names = devices.flatMap(({ name, messages }) =>
    messages.some(({ message_id: id }) => ids.has(id)) ? [name] : [],
  )
  if (ids.size === 0) return test.nobody
  return names.length === 0 ? test.done : test.arrived(names.join(', '))
}
