import { Button } from '@mantine/core'
import { useState } from 'react'
import { chosenBrand } from '../kit/brand.ts'
import { Card } from '../kit/card.tsx'
import { useHasVirtualDevices } from '../kit/device/virtual-devices.ts'
import { useMay } from '../kit/member.ts'
import type { Overview } from '../kit/overview.ts'
import { useRead } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import { FirstMessage } from './first-message.tsx'
import { HOME_TEXTS } from './texts.ts'
import { YourOwn } from './your-own.tsx'

/** The way from the first start to the first own message. It stays until the reader hides it. */
export function FirstRun({ overview }: { readonly overview: Overview | undefined }) {
  const texts = useTexts(HOME_TEXTS)
  const hasDevices = useHasVirtualDevices()
  const maySend = useMay('push')
  const sent = useRead('GET /api/v1/notifications', { query: { limit: 1 } })
  const [stage, setStage] = useState(() => localStorage.getItem(placeOf()))
  const [triedIds, setTriedIds] = useState(readTried)
  const isNew = sent.data?.notifications.length === 0
  if (isNew && stage === null) {
    localStorage.setItem(placeOf(), 'begun')
    setStage('begun')
  }
  if (stage !== 'begun') return null
  const keepTried = (ids: readonly string[]): void => {
    localStorage.setItem(triedPlace(), ids.join(' '))
    setTriedIds(ids)
  }
  const hide = (): void => {
    localStorage.setItem(placeOf(), 'over')
    setStage('over')
  }
  return (
    <>
      {hasDevices && maySend && (
        <Card title={texts.first.title}>
          <FirstMessage ids={triedIds} onSent={keepTried} />
        </Card>
      )}
      <Card
        title={texts.own.title}
        aside={
          <Button variant="subtle" color="gray" size="compact-sm" onClick={hide}>
            {texts.first.hide}
          </Button>
        }
      >
        <YourOwn overview={overview} triedIds={triedIds} />
      </Card>
    </>
  )
}

function placeOf(): string {
  return `beckon.first-run.${chosenBrand()}`
}

function triedPlace(): string {
  return `${placeOf()}.tried`
}

/** The messages to the drawn devices, also after the page was loaded again. */
function readTried(): readonly string[] {
  return (localStorage.getItem(triedPlace()) ?? '').split(' ').filter((id) => id !== '')
}
