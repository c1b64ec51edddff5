import IconDeviceMobile from '@tabler/icons-react/dist/esm/icons/IconDeviceMobile.mjs'
import IconWorld from '@tabler/icons-react/dist/esm/icons/IconWorld.mjs'
import type { Subscription } from '../../client/api/common.ts'
import { Card } from '../kit/card.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { Icon } from '../kit/icon.tsx'
import { PLATFORM_LABELS } from '../kit/platform-labels.ts'
import { useRead } from '../kit/queries.ts'
import { Lines } from '../kit/skeleton.tsx'
import { useLanguage, useTexts } from '../kit/texts.tsx'
import { shortOf, Time } from '../kit/time.tsx'
import styles from './devices.module.css'
import { PEOPLE_TEXTS } from './texts.ts'

/** The devices of a person: live ones first, with when they were last seen. */
export function Devices({ userId }: { readonly userId: string }) {
  const { person: texts } = useTexts(PEOPLE_TEXTS)
  const { data, error } = useRead('GET /api/v1/subscriptions', { query: { user_id: userId, limit: 50 } })
  const devices = data?.subscriptions.toSorted((one, other) => rank(one) - rank(other))
  return (
    <Card title={texts.devices}>
      {error !== null && <FailureNote error={error} />}
      {devices === undefined && error === null && <Lines count={2} />}
      {devices?.length === 0 && <p className="small quiet">{texts.noDevices}</p>}
      <ul className={styles.devices}>
        {devices?.map((device) => (
          <Device key={device.subscription_id} device={device} />
        ))}
      </ul>
    </Card>
  )
}

function rank({ state }: Subscription): number {
  return state === 'live' ? 0 : 1
}

function Device({ device }: { readonly device: Subscription }) {
  const { person: texts } = useTexts(PEOPLE_TEXTS)
  const { language } = useLanguage()
  const {
    platform,
    browser,
    app_version: version,
    state,
    state_since: since,
    registered_at: registered,
  } = device
  const name = [PLATFORM_LABELS[platform], browser, version].filter((word) => word !== null).join(', ')
  const when = shortOf(new Date(since), language)
  return (
    <li className={state === 'live' ? undefined : styles.off}>
      <Icon of={platform === 'web' ? IconWorld : IconDeviceMobile} />
      <span>
        {name}{' '}
        <span className="quiet">
          · {state === 'live' && registered !== null && <Time at={registered} how="ago" />}
          {state === 'gone' && texts.gone(when)}
          {state === 'unsubscribed' && texts.unsubscribed(when)}
        </span>
      </span>
    </li>
  )
}
