import { SegmentedControl } from '@mantine/core'
import { useGo, useSearchWords } from '../kit/address.tsx'
import { AsOf } from '../kit/as-of.tsx'
import { Card, Stack } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { Count, useFormat } from '../kit/number.tsx'
import { Plot } from '../kit/plot.tsx'
import { useRead } from '../kit/queries.ts'
import { Lines } from '../kit/skeleton.tsx'
import { Table } from '../kit/table.tsx'
import { useLanguage, useTexts } from '../kit/texts.tsx'
import { useBrandZone } from '../kit/zone.ts'
import { Breakdown } from './breakdown.tsx'
import { NamePicker } from './name-picker.tsx'
import { fromOf, rowsAddress, SHORT_RANGES, useRange } from './range.ts'
import { RangeChoice } from './range-choice.tsx'
import type { Series } from './replies.ts'
import { spanName } from './span-name.ts'
import { EVENTS_TEXTS } from './texts.ts'
import styles from './tools.module.css'
import { FirstEvent } from './tools.tsx'

/** How often, and when; then by name, or by an attribute of one event. */
export function TrendView() {
  const { trend: texts, tail } = useTexts(EVENTS_TEXTS)
  const [words, change] = useSearchWords()
  const name = words['name'] ?? ''
  const range = useRange(SHORT_RANGES)
  const zone = useZone()
  const query = {
    metric: 'events',
    by: range === '24h' ? 'hour' : 'day',
    from: fromOf(range, zone),
    ...(zone === undefined ? {} : { time_zone: zone }),
    ...(name === '' ? {} : { name }),
  } as const
  const series = useRead('GET /api/v1/series', { query }, { everyMs: EVERY_MS, keepsFormer: true })
  const found = series.data?.series
  return (
    <>
      <div className={styles.tools}>
        <NamePicker
          label={tail.name}
          hint={tail.anyName}
          value={name}
          onChange={(chosen) => change({ name: chosen, attribute: '' })}
        />
        <RangeChoice names={SHORT_RANGES} />
        <ZoneChoice />
        <div className={styles.end}>
          <CopyCurl endpoint="GET /api/v1/series" input={{ query }} />
        </div>
      </div>
      <Stack>
        {series.error !== null && <FailureNote error={series.error} onRetry={() => void series.refetch()} />}
        <Card title={name === '' ? texts.all : name} aside={<AsOf at={series.dataUpdatedAt} />}>
          {found === undefined && series.error === null && <Lines count={6} />}
          {found !== undefined && <Bars series={found} name={name} />}
        </Card>
        {found !== undefined && <Breakdown series={found} name={name} />}
      </Stack>
    </>
  )
}

const EVERY_MS = 10_000

/** The zone that the address names: the reader's own, or the brand's. */
export function useZone(): string | undefined {
  const [words] = useSearchWords()
  const brandZone = useBrandZone()
  return words['zone'] === 'mine' ? Intl.DateTimeFormat().resolvedOptions().timeZone : brandZone
}

export function ZoneChoice() {
  const { trend: texts } = useTexts(EVENTS_TEXTS)
  const [words, change] = useSearchWords()
  const brandZone = useBrandZone() ?? ''
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  if (brandZone === '' || brandZone === own) return null
  return (
    <SegmentedControl
      aria-label={texts.zone}
      value={words['zone'] === 'mine' ? 'mine' : 'brand'}
      onChange={(zone) => change({ zone: zone === 'mine' ? zone : '' })}
      data={[
        { value: 'brand', label: brandZone },
        { value: 'mine', label: texts.mine(own) },
      ]}
    />
  )
}

function Bars({ series, name }: { readonly series: Series; readonly name: string }) {
  const { trend: texts } = useTexts(EVENTS_TEXTS)
  const format = useFormat()
  const go = useGo()
  const { language } = useLanguage()
  const { starts, lines, by, time_zone: zone } = series
  const counts = lines[0]?.counts ?? []
  const total = lines[0]?.total ?? 0
  if (total === 0 && name === '') return <FirstEvent />
  const longName = (at: number): string => spanName(starts[at], { by, zone, language }, 'long')
  const rows = starts.map((start, at) => ({ start, at, count: counts[at] ?? 0 }))
  const named = name === '' ? {} : { name }
  const rowsAt = (at: number): string => rowsAddress({ ...named, from: starts[at], to: starts[at + 1] })
  return (
    <>
      <p className={styles.lead}>
        <Count value={total} to={rowsAddress({ ...named, from: starts[0] })} />
      </p>
      <Plot
        label={texts.label(name, format.count(total))}
        names={starts.map((start) => spanName(start, { by, zone, language }, 'short'))}
        counts={counts}
        say={(at) => `${longName(at)}: ${texts.events(counts[at] ?? 0, format.count(counts[at] ?? 0))}`}
        rest={texts.rest(zone)}
        isLastOpen
        onPick={(at) => go(rowsAt(at))}
        figures={{
          title: texts.figures,
          table: (
            <Table
              label={texts.figures}
              rows={rows.toReversed()}
              keyOf={({ start }) => start}
              columns={[
                { name: texts.span, cell: ({ at }) => longName(at) },
                {
                  name: texts.count,
                  kind: 'number',
                  cell: ({ at, count }) => <Count value={count} to={rowsAt(at)} />,
                },
              ]}
            />
          ),
        }}
      />
    </>
  )
}
