import { Button, MultiSelect, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { WEBHOOK_EVENTS } from '../../../src/rules/webhooks.ts'
import type { EventType } from '../../client/api/webhooks.ts'
import type { ReplyOf } from '../kit/call.ts'
import { Card, Stack } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useMay } from '../kit/member.ts'
import { Pill } from '../kit/pill.tsx'
import { useRead, useWrite } from '../kit/queries.ts'
import { Lines } from '../kit/skeleton.tsx'
import { useTexts } from '../kit/texts.tsx'
import styles from './page.module.css'
import { SecretNote } from './secret-note.tsx'
import { SETTINGS_TEXTS } from './texts.ts'
import { WebhookLog } from './webhook-log.tsx'

type Endpoint = ReplyOf<'GET /api/v1/webhooks'>['webhooks'][number]

const TYPES = Object.keys(WEBHOOK_EVENTS).filter(isType)

function isType(name: string): name is EventType {
  return name in WEBHOOK_EVENTS
}

/** The addresses that Beckon calls when something happens. */
export function WebhooksSection() {
  const { webhooks: texts } = useTexts(SETTINGS_TEXTS)
  const { data, error } = useRead('GET /api/v1/webhooks', {})
  const mayChange = useMay('brand', 'keys')
  return (
    <Stack>
      {mayChange && <NewWebhook />}
      {error !== null && <FailureNote error={error} />}
      {data === undefined && error === null && <Lines count={4} />}
      {data?.webhooks.length === 0 && <p className="small quiet">{texts.empty}</p>}
      {data?.webhooks.map((endpoint) => (
        <WebhookCard key={endpoint.id} endpoint={endpoint} mayChange={mayChange} />
      ))}
    </Stack>
  )
}

function WebhookCard({ endpoint, mayChange }: { readonly endpoint: Endpoint; readonly mayChange: boolean }) {
  const { webhooks: texts } = useTexts(SETTINGS_TEXTS)
  const [isOpen, setIsOpen] = useState(false)
  const change = useWrite('PATCH /api/v1/webhooks/{id}', { refreshes: ['GET /api/v1/webhooks'] })
  const test = useWrite('POST /api/v1/webhooks/{id}/test')
  const { id, enabled, failing_since: failing, disabled_reason: reason } = endpoint
  const path = { id }
  const working = failing === null ? 'works' : 'failing'
  const state = enabled ? working : 'off'
  const tones = { works: 'ok', failing: 'bad', off: 'plain' } as const
  return (
    <Card title={endpoint.url} aside={<Pill tone={tones[state]}>{texts.states[state]}</Pill>}>
      <p className="small quiet">
        {endpoint.description} {endpoint.event_types.join(', ')} {reason !== null && texts.reasons[reason]}
      </p>
      <div className={styles.row} style={{ marginTop: 10 }}>
        {mayChange && (
          <Button size="compact-sm" onClick={() => change.mutate({ path, body: { enabled: !enabled } })}>
            {enabled ? texts.disable : texts.enable}
          </Button>
        )}
        {mayChange && (
          <Button size="compact-sm" loading={test.isPending} onClick={() => test.mutate({ path })}>
            {texts.test}
          </Button>
        )}
        {mayChange && <WebhookEnd id={id} />}
        <Button size="compact-sm" onClick={() => setIsOpen(!isOpen)} aria-expanded={isOpen}>
          {texts.log}
        </Button>
      </div>
      {(change.error ?? test.error) !== null && (
        <FailureNote error={change.error ?? test.error ?? new Error()} />
      )}
      {test.data !== undefined && (
        <p role="status" className="small">
          {texts.answered(test.data.attempt.status ?? 0, test.data.attempt.took_ms)} {test.data.attempt.error}
        </p>
      )}
      {isOpen && <WebhookLog id={id} mayChange={mayChange} />}
    </Card>
  )
}

/** A new secret, or the end of the webhook, which cannot be undone: its second click says so. */
function WebhookEnd({ id }: { readonly id: string }) {
  const { webhooks: texts } = useTexts(SETTINGS_TEXTS)
  const [isAsking, setIsAsking] = useState(false)
  const refreshes = ['GET /api/v1/webhooks'] as const
  const rotate = useWrite('POST /api/v1/webhooks/{id}/rotate', { refreshes })
  const remove = useWrite('DELETE /api/v1/webhooks/{id}', { refreshes })
  const path = { id }
  const error = rotate.error ?? remove.error
  const secret = rotate.data?.webhook.secret
  return (
    <>
      <Button size="compact-sm" loading={rotate.isPending} onClick={() => rotate.mutate({ path, body: {} })}>
        {texts.rotate}
      </Button>
      <Button
        size="compact-sm"
        c="var(--bad)"
        onClick={() => (isAsking ? remove.mutate({ path }) : setIsAsking(true))}
      >
        {isAsking ? texts.removeSure : texts.remove}
      </Button>
      {error !== null && <FailureNote error={error} />}
      {typeof secret === 'string' && <SecretNote text={texts.once} secret={secret} />}
    </>
  )
}

function NewWebhook() {
  const { webhooks: texts } = useTexts(SETTINGS_TEXTS)
  const [url, setUrl] = useState('')
  const [types, setTypes] = useState<readonly EventType[]>([])
  const create = useWrite('POST /api/v1/webhooks', { refreshes: ['GET /api/v1/webhooks'] })
  const body = { url: url.trim(), event_types: types }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    create.mutate({ body })
  }
  const secret = create.data?.webhook.secret
  return (
    <Card title={texts.new} aside={<CopyCurl endpoint="POST /api/v1/webhooks" input={{ body }} />}>
      <form className={styles.form} onSubmit={submit}>
        <TextInput
          label={texts.url}
          placeholder="https://shop.example/beckon"
          required
          withAsterisk={false}
          value={url}
          onChange={({ currentTarget }) => setUrl(currentTarget.value)}
        />
        <MultiSelect
          label={texts.types}
          data={[...TYPES]}
          value={[...types]}
          onChange={(chosen) => setTypes(TYPES.filter((type) => chosen.includes(type)))}
        />
        {create.error !== null && <FailureNote error={create.error} />}
        {typeof secret === 'string' && <SecretNote text={texts.once} secret={secret} />}
        <Button type="submit" variant="filled" loading={create.isPending}>
          {texts.make}
        </Button>
      </form>
    </Card>
  )
}
