import { Button } from '@mantine/core'
import type { Notification } from '../../client/api/notifications.ts'
import { useGo } from '../kit/address.tsx'
import { call, type Input, type ReplyOf } from '../kit/call.ts'
import { FailureNote } from '../kit/failure-note.tsx'
import { refresh, useWrite } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import { ACTION_TEXTS } from './action-texts.ts'
import type { Message } from './message.ts'

/** Makes a draft with the same content and audience, and opens it where it is written. */
export function DuplicateButton({ message }: { readonly message: Message }) {
  return message.notification === null ? (
    <OfCampaign id={message.id} />
  ) : (
    <OfNotification notification={message.notification} />
  )
}

type Made = Pick<ReplyOf<'POST /api/v1/campaigns'>, 'campaign'>

function useOpen(): (made: Made) => void {
  const go = useGo()
  return ({ campaign }) => go(`/compose/${String(campaign.campaign_id)}`)
}

function OfCampaign({ id }: { readonly id: string }) {
  const { actions: texts } = useTexts(ACTION_TEXTS)
  const open = useOpen()
  const write = useWrite('POST /api/v1/campaigns/{campaign_id}/duplicate', { onDone: open })
  return (
    <>
      {write.error !== null && <FailureNote error={write.error} />}
      <Button loading={write.isPending} onClick={() => write.mutate({ path: { campaign_id: id } })}>
        {texts.duplicate}
      </Button>
    </>
  )
}

/** A single send becomes a campaign for the same people. */
function OfNotification({ notification }: { readonly notification: Notification }) {
  const { actions: texts } = useTexts(ACTION_TEXTS)
  const open = useOpen()
  const write = useWrite('POST /api/v1/campaigns', {
    onDone: (made) => {
      void refresh('GET /api/v1/campaigns')
      open(made)
    },
  })
  const duplicate = async (): Promise<void> => write.mutate({ body: await draftOf(notification) })
  return (
    <>
      {write.error !== null && <FailureNote error={write.error} />}
      <Button loading={write.isPending} onClick={() => void duplicate()}>
        {texts.duplicate}
      </Button>
    </>
  )
}

type Draft = Input<'POST /api/v1/campaigns'>['body']

async function draftOf(notification: Notification): Promise<Draft> {
  const { title, message, url, topic, platform } = notification
  return {
    name: title === '' ? message : title,
    audience: await audienceOf(notification),
    platforms: [platform],
    content: { title, message, ...(url === null ? {} : { url }) },
    ...(topic === null ? {} : { topic }),
  }
}

/** The person of a push to one is known from its delivery. Without a person the copy has an empty list to fill in. */
async function audienceOf({
  mode,
  segment_id: segmentId,
  tag,
  id,
}: Notification): Promise<Draft['audience']> {
  if (mode === 'all') return { everyone: true, ...(tag === null ? {} : { tag }) }
  if (mode === 'segment' && segmentId !== null) return { segment_id: segmentId }
  if (mode === 'segment' && tag !== null) return { tag }
  const { deliveries } = await call('GET /api/v1/notifications/{id}/deliveries', {
    path: { id },
    query: { limit: 1 },
  })
  return { users: deliveries.flatMap(({ user_id: userId }) => (userId === null ? [] : [userId])) }
}
