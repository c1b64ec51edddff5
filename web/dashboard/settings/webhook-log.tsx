import { Button } from '@mantine/core'
import type { Message } from '../../client/api/webhooks.ts'
import { FailureNote } from '../kit/failure-note.tsx'
import { Pill } from '../kit/pill.tsx'
import { useWrite } from '../kit/queries.ts'
import { useRows } from '../kit/rows.ts'
import type { Column } from '../kit/table.tsx'
import { useTexts } from '../kit/texts.tsx'
import { Time } from '../kit/time.tsx'
import { VirtualTable } from '../kit/virtual-table.tsx'
import { SETTINGS_TEXTS } from './texts.ts'

const TONES = { waiting: 'live', delivered: 'ok', failed: 'bad' } as const

/** The newest messages of an endpoint, each with its last answer; a failed one can be sent again. */
export function WebhookLog({ id, mayChange }: { readonly id: string; readonly mayChange: boolean }) {
  const { webhooks: texts } = useTexts(SETTINGS_TEXTS)
  const list = useRows(
    'GET /api/v1/webhooks/{id}/messages',
    { path: { id }, query: { limit: 50 } },
    { rowsOf: ({ messages }) => messages, everyMs: 5_000 },
  )
  const redrive = useWrite('POST /api/v1/webhooks/{id}/messages/{message_id}/redrive', {
    refreshes: ['GET /api/v1/webhooks/{id}/messages'],
  })
  const columns: readonly Column<Message>[] = [
    { name: texts.when, cell: ({ created_at: at }) => <Time at={at} /> },
    { name: texts.type, cell: ({ type }) => <code>{type}</code> },
    { name: texts.state, cell: ({ state }) => <Pill tone={TONES[state]}>{texts.messageStates[state]}</Pill> },
    { name: texts.answer, cell: ({ attempts }) => <span className="quiet">{answerOf(attempts)}</span> },
    {
      name: texts.more,
      cell: ({ id: messageId, state }) =>
        mayChange && state !== 'waiting' ? (
          <Button size="compact-xs" onClick={() => redrive.mutate({ path: { id, message_id: messageId } })}>
            {texts.again}
          </Button>
        ) : null,
    },
  ]
  const error = list.error ?? redrive.error
  return (
    <>
      {error !== null && <FailureNote error={error} />}
      <VirtualTable
        label={texts.log}
        columns={columns}
        list={list}
        empty={<p className="small quiet">{texts.noMessages}</p>}
      />
    </>
  )
}

function answerOf(attempts: Message['attempts']): string {
  const last = attempts.at(-1)
  if (last === undefined) return ''
  return [last.status, last.error, last.answer.slice(0, 60)]
    .filter((word) => word !== null && word !== '')
    .join(' · ')
}
