import { Button } from '@mantine/core'
import { useGo } from '../kit/address.tsx'
import { Columns, Stack } from '../kit/card.tsx'
import { useMay } from '../kit/member.ts'
import { needsOf, useOverview } from '../kit/overview.ts'
import { Page } from '../kit/page.tsx'
import { Pill } from '../kit/pill.tsx'
import { useTexts } from '../kit/texts.tsx'
import { FirstRun } from './first-run.tsx'
import { Minutes } from './minutes.tsx'
import { Needs } from './needs.tsx'
import { HOME_TEXTS } from './texts.ts'
import { Today } from './today.tsx'

/** The lines that need the reader now, today's numbers, and the way to the first message. */
export function HomePage() {
  const texts = useTexts(HOME_TEXTS)
  const seen = useOverview()
  const mayCompose = useMay('push', 'draft')
  const maySeeEvents = useMay('events:read')
  const maySeeSends = useMay('push:read')
  const go = useGo()
  const needs = seen === undefined ? undefined : needsOf(seen.overview)
  return (
    <Page
      title={texts.title}
      state={<NeedsPill count={needs?.length} />}
      actions={
        mayCompose && (
          <Button variant="filled" onClick={() => go('/compose')}>
            {texts.compose}
          </Button>
        )
      }
    >
      <Stack>
        {maySeeSends && <FirstRun overview={seen?.overview} />}
        <Needs needs={needs} />
        <Columns>
          <Today seen={seen} />
          {maySeeEvents && <Minutes overview={seen?.overview} />}
        </Columns>
      </Stack>
    </Page>
  )
}

function NeedsPill({ count }: { readonly count: number | undefined }) {
  const texts = useTexts(HOME_TEXTS)
  if (count === undefined) return null
  return count === 0 ? <Pill tone="ok">{texts.well}</Pill> : <Pill tone="live">{texts.needYou(count)}</Pill>
}
