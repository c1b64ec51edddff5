import { rowsAddress } from '../events/range.ts'
import { Card } from '../kit/card.tsx'
import { Count } from '../kit/number.tsx'
import type { SeenOverview } from '../kit/overview.ts'
import { Lines } from '../kit/skeleton.tsx'
import { useLanguage, useTexts } from '../kit/texts.tsx'
import { shortOf } from '../kit/time.tsx'
import { startOfDay, useBrandZone } from '../kit/zone.ts'
import { HOME_TEXTS } from './texts.ts'
import styles from './today.module.css'

/** The numbers since midnight in the brand's zone, each with the way to its rows. */
export function Today({ seen }: { readonly seen: SeenOverview | undefined }) {
  const { today } = useTexts(HOME_TEXTS)
  const { language } = useLanguage()
  const zone = useBrandZone()
  const figures = seen === undefined ? undefined : figuresOf(seen, zone)
  return (
    <Card
      title={today.title}
      aside={seen === undefined ? '' : today.exact(shortOf(new Date(seen.asOf), language))}
    >
      {figures === undefined ? (
        <Lines count={4} />
      ) : (
        <dl className={styles.figures}>
          {figures.map(({ name, value, to }) => (
            <div key={name}>
              <dt>{today[name]}</dt>
              <dd>
                <Count value={value} to={to} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Card>
  )
}

type Figure = {
  readonly name: 'accepted' | 'failed' | 'received' | 'clicked' | 'optOuts' | 'events' | 'devices'
  readonly value: number
  readonly to?: string
}

const TODAYS = '/messages?since=today'

function figuresOf(
  { overview: { sends, events, devices } }: SeenOverview,
  zone: string | undefined,
): readonly Figure[] {
  const sent = sends?.today
  return [
    ...(sent === undefined
      ? []
      : ([
          { name: 'accepted', value: sent.accepted, to: TODAYS },
          { name: 'failed', value: sent.failed, to: TODAYS },
          { name: 'received', value: sent.received, to: TODAYS },
          { name: 'clicked', value: sent.clicked, to: TODAYS },
          { name: 'optOuts', value: sent.opt_outs, to: '/people?show=opted-out&since=today' },
        ] as const)),
    ...(events === undefined
      ? []
      : [
          {
            name: 'events',
            value: events.today,
            to: rowsAddress({ from: zone === undefined ? undefined : startOfDay(zone) }),
          } as const,
        ]),
    ...(devices === undefined
      ? []
      : [{ name: 'devices', value: devices.live, to: '/devices?state=live' } as const]),
  ]
}
