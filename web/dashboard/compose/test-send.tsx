import { Button, Modal } from '@mantine/core'
import IconDeviceMobileMessage from '@tabler/icons-react/dist/esm/icons/IconDeviceMobileMessage.mjs'
import { useState } from 'react'
import { CAMPAIGN_LIMITS } from '../../../src/rules/campaigns.ts'
import { FailureNote } from '../kit/failure-note.tsx'
import { Icon } from '../kit/icon.tsx'
import { PeoplePicker } from '../kit/person-picker.tsx'
import { useWrite } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import styles from './page.module.css'
import { COMPOSE_TEXTS } from './texts.ts'

type TestProps = { readonly campaignId: string | null; readonly person: string }

/** Sends the message now to a few people, as a test that nothing counts. */
export function TestSend({ campaignId, person }: TestProps) {
  const { test } = useTexts(COMPOSE_TEXTS)
  const [isOpen, setOpen] = useState(false)
  const [people, setPeople] = useState<readonly string[]>([])
  const send = useWrite('POST /api/v1/campaigns/{campaign_id}/test')
  const open = (): void => {
    send.reset()
    setPeople(person === '' ? [] : [person])
    setOpen(true)
  }
  const count = send.data?.notifications.length ?? 0
  return (
    <>
      <Button
        leftSection={<Icon of={IconDeviceMobileMessage} />}
        disabled={campaignId === null}
        onClick={open}
      >
        {test.button}
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={test.title}>
        <div className={styles.fields}>
          <p className="small quiet">{test.text}</p>
          <PeoplePicker
            label={test.people}
            value={people}
            max={CAMPAIGN_LIMITS.testUsersMax}
            onChange={setPeople}
          />
          {send.error !== null && <FailureNote error={send.error} />}
          <p className="small" role="status">
            {send.data !== undefined && (count === 0 ? test.nobody : test.done)}
          </p>
          <Button
            variant="filled"
            disabled={people.length === 0}
            loading={send.isPending}
            onClick={() =>
              send.mutate({ path: { campaign_id: campaignId ?? '' }, body: { user_ids: people } })
            }
          >
            {test.send}
          </Button>
        </div>
      </Modal>
    </>
  )
}
