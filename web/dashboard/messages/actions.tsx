import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { useGo } from '../kit/address.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useMay } from '../kit/member.ts'
import { useFormat } from '../kit/number.tsx'
import { useWrite } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import { ACTION_TEXTS } from './action-texts.ts'
import { DuplicateButton } from './duplicate-button.tsx'
import { Consent } from './first-card.tsx'
import { isOver, type Message } from './message.ts'

/** The actions on a message. A button that the role may not use is not there. */
export function Actions({ message }: { readonly message: Message }) {
  const { actions: texts } = useTexts(ACTION_TEXTS)
  const go = useGo()
  const maySend = useMay('push')
  const mayDraft = useMay('push', 'draft')
  const [isStopping, setIsStopping] = useState(false)
  const { campaign, state, id, isArchived } = message
  return (
    <>
      {campaign === null ? (
        <CopyCurl endpoint="GET /api/v1/notifications/{id}" input={{ path: { id } }} />
      ) : (
        <CopyCurl endpoint="GET /api/v1/campaigns/{campaign_id}" input={{ path: { campaign_id: id } }} />
      )}
      {mayDraft && <DuplicateButton message={message} />}
      {maySend && campaign !== null && isOver(message) && !isArchived && <Archive id={id} />}
      {maySend && !isOver(message) && (
        <Button c="var(--bad)" onClick={() => setIsStopping(true)}>
          {texts[stopWordOf(state)]}
        </Button>
      )}
      {state === 'awaiting_approval' && campaign !== null && <Consent campaign={campaign} />}
      {mayDraft && state === 'draft' && (
        <Button variant="filled" onClick={() => go(`/compose/${id}`)}>
          {texts.write}
        </Button>
      )}
      {isStopping && <StopDialog message={message} onClose={() => setIsStopping(false)} />}
    </>
  )
}

function stopWordOf(state: Message['state']): 'discard' | 'cancel' | 'stop' {
  if (state === 'draft') return 'discard'
  return state === 'scheduled' || state === 'awaiting_approval' ? 'cancel' : 'stop'
}

function Archive({ id }: { readonly id: string }) {
  const { actions: texts } = useTexts(ACTION_TEXTS)
  const write = useWrite('POST /api/v1/campaigns/{campaign_id}/archive', {
    refreshes: ['GET /api/v1/campaigns', 'GET /api/v1/campaigns/{campaign_id}'],
  })
  return (
    <>
      {write.error !== null && <FailureNote error={write.error} />}
      <Button loading={write.isPending} onClick={() => write.mutate({ path: { campaign_id: id } })}>
        {texts.archive}
      </Button>
    </>
  )
}

/** A stop cannot be undone, so it names how many it is about. */
function StopDialog({ message, onClose }: { readonly message: Message; readonly onClose: () => void }) {
  const { stop: texts } = useTexts(ACTION_TEXTS)
  const format = useFormat()
  const { id, kind, pending, accepted } = message
  const campaign = useWrite('POST /api/v1/campaigns/{campaign_id}/cancel', {
    refreshes: ['GET /api/v1/campaigns', 'GET /api/v1/campaigns/{campaign_id}'],
    onDone: onClose,
  })
  const notification = useWrite('POST /api/v1/notifications/{id}/cancel', {
    refreshes: ['GET /api/v1/notifications', 'GET /api/v1/notifications/{id}'],
    onDone: onClose,
  })
  const error = campaign.error ?? notification.error
  const stop = (): void => {
    if (kind === 'campaign') campaign.mutate({ path: { campaign_id: id } })
    else notification.mutate({ path: { id } })
  }
  return (
    <Dialog opened onClose={onClose} title={texts.title}>
      <p className="small">
        {pending > 0 ? texts.waiting(pending, format.count(pending)) : texts.whole}{' '}
        {accepted > 0 && texts.taken(accepted, format.count(accepted))}
      </p>
      {error !== null && <FailureNote error={error} />}
      <Group mt={16} justify="flex-end">
        <Button onClick={onClose}>{texts.keep}</Button>
        <Button
          variant="filled"
          data-autofocus
          loading={campaign.isPending || notification.isPending}
          onClick={stop}
        >
          {texts.go}
        </Button>
      </Group>
    </Dialog>
  )
}
