import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import type { Channel, State } from '../../client/api/channels.ts'
import { Card, Stack } from '../kit/card.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useMay } from '../kit/member.ts'
import { Pill, type PillTone } from '../kit/pill.tsx'
import { useRead } from '../kit/queries.ts'
import { Lines } from '../kit/skeleton.tsx'
import { useTexts } from '../kit/texts.tsx'
import { Time } from '../kit/time.tsx'
import { AndroidForm, IosForm, WebForm } from './channel-forms.tsx'
import { ChannelTest } from './channel-test.tsx'
import { CHANNEL_TEXTS } from './channel-texts.ts'

const FORMS = { android: AndroidForm, ios: IosForm, web: WebForm } as const
export const CHANNEL_PLATFORMS = ['android', 'ios', 'web'] as const
export type ChannelPlatform = (typeof CHANNEL_PLATFORMS)[number]

/** The ways to phones and browsers: whose credentials they use, and whether they work. */
export function ChannelsSection() {
  const { data, error } = useRead('GET /api/v1/brand/channels', {}, { everyMs: 10_000 })
  if (error !== null) return <FailureNote error={error} />
  if (data === undefined) return <Lines count={8} />
  return (
    <Stack>
      {CHANNEL_PLATFORMS.map((platform) => {
        const channel = data.channels.find((one) => one.platform === platform)
        return channel === undefined ? null : (
          <ChannelCard key={platform} platform={platform} channel={channel} />
        )
      })}
    </Stack>
  )
}

const TONES: Readonly<Record<State, PillTone>> = {
  ok: 'ok',
  partial: 'live',
  failing: 'bad',
  paused: 'live',
  unable: 'bad',
}

type ChannelCardProps = { readonly platform: ChannelPlatform; readonly channel: Channel }

function ChannelCard({ platform, channel }: ChannelCardProps) {
  const texts = useTexts(CHANNEL_TEXTS)
  const mayChange = useMay('brand', 'keys')
  const [isOpen, setIsOpen] = useState(false)
  const Form = FORMS[platform]
  const { health } = channel
  return (
    <Card title={texts.names[platform]} aside={<Standing channel={channel} />}>
      <p className="small">{texts.credentials[channel.credentials]}</p>
      <Facts channel={channel} />
      {health.state !== 'ok' && (
        <p className="small" role="status">
          {health.advice ?? health.reason} {health.since !== null && <Time at={health.since} how="ago" />}
        </p>
      )}
      {mayChange && (
        <Group mt={12} gap={8}>
          <Button onClick={() => setIsOpen(!isOpen)} aria-expanded={isOpen}>
            {channel.credentials === 'own' ? texts.replace : texts.set}
          </Button>
          <ChannelTest platform={platform} />
        </Group>
      )}
      {isOpen && <Form onDone={() => setIsOpen(false)} />}
    </Card>
  )
}

/** The simulator always works, which says nothing about real devices. */
function Standing({ channel: { health, credentials } }: { readonly channel: Channel }) {
  const texts = useTexts(CHANNEL_TEXTS)
  if (credentials === 'sandbox' && health.state === 'ok') return <Pill>{texts.simulator}</Pill>
  return <Pill tone={TONES[health.state]}>{texts.states[health.state]}</Pill>
}

/** The facts about the credentials that are no secret. */
function Facts({ channel }: { readonly channel: Channel }) {
  const { project_id: project, client_email: email, key_id: key, team_id: team, bundle_id: bundle } = channel
  const facts = [project, email, bundle, team, key, channel.subject, channel.public_key]
  const known = facts.filter((fact) => fact !== undefined)
  if (known.length === 0) return null
  return (
    <p className="tiny faint num" style={{ overflowWrap: 'anywhere' }}>
      {known.join(' · ')}
    </p>
  )
}
