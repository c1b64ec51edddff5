import { setTimeout as wait } from 'node:timers/promises'
import type { TestBrand } from '../../test/support/database/database.ts'
import { keyHeaders } from '../../test/support/processes/server.ts'
import { DEAD_EVERY, reviveAudience, untilRetired } from './audience.ts'
import { cpuMs } from './cpu.ts'
import type { PushPlace, RunningBeckon } from './push-place.ts'

/** A running Beckon, and a brand with so many devices on iOS. */
export type CampaignSender = RunningBeckon &
  Pick<PushPlace, 'fresh' | 'postgresPid'> & { readonly brand: TestBrand; readonly devices: number }

const CONTENT = {
  title: 'The autumn teas are here',
  message: 'Come and taste.',
  url: 'https://shop.example/',
}

/** One campaign to everybody, until its last outcome is written: the CPU of one message in microseconds. */
export async function campaignCost(
  { api, workerPid, postgresPid, brand, fresh, devices }: CampaignSender,
  extra: object,
): Promise<number> {
  const spentMs = (): number => cpuMs(workerPid).server + cpuMs(postgresPid).server
  await reviveAudience({ fresh, brandId: brand.brandId })
  const before = spentMs()
  const document = {
    name: 'Teas',
    audience: { everyone: true },
    platforms: ['ios'],
    content: CONTENT,
    ...extra,
  }
  const { campaign_id: id } = await ask(brand, `${api}/campaigns`, document)
  await ask(brand, `${api}/campaigns/${String(id)}/launch`, {})
  for (;;) {
    await wait(250)
    const { rows } = await fresh.database.query<{ accepted: number; failed: number; isOver: boolean }>(
      `select accepted, failed, finished_at is not null as "isOver" from notifications
       where brand_id = $1 and campaign_id = $2`,
      [brand.brandId, String(id)],
    )
    const [found] = rows
    if (found?.isOver !== true) continue
    if (found.accepted + found.failed !== devices || found.accepted < devices - devices / DEAD_EVERY) {
      throw new Error(`${found.accepted} of ${devices} were accepted, ${found.failed} failed`)
    }
    await untilRetired(fresh.database, brand.brandId, found.failed)
    return ((spentMs() - before) * 1000) / devices
  }
}

async function ask(brand: TestBrand, url: string, body: object): Promise<Record<string, unknown>> {
  const reply = await fetch(url, {
    method: 'POST',
    headers: { ...keyHeaders(brand), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await reply.text()
  if (reply.status !== 200) throw new Error(text)
  const parsed: { readonly campaign: Record<string, unknown> } = JSON.parse(text)
  return parsed.campaign
}
