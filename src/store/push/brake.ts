import {
  type BrakeAnswer,
  type BrakeBudget,
  type BrakeKind,
  drawBudget,
  FULL_BUDGET,
} from '../../domain/push/brake.ts'
import { BRAKE_RULES } from '../../rules/push.ts'
import type { Database, Db } from '../db.ts'
import type { ChannelRef } from './channels.ts'

/** The answers of one kind: from one push host, or, with an empty `host`, to the channel as a whole. */
export type BudgetAnswers = {
  readonly kind: BrakeKind
  readonly host: string
  /** In the order of their arrival. */
  readonly answers: readonly BrakeAnswer[]
}

/** A channel with one version of its credential. A new version starts with full budgets. */
export type BrakedChannel = ChannelRef & { readonly version: number; readonly now: number }

/**
 * Draws on the budgets of a channel, which all workers share, and says for each answer that blames a device whether
 * the device may be retired. A lock makes workers follow each other.
 */
export async function drawBudgets(
  database: Database,
  channel: BrakedChannel,
  asked: readonly BudgetAnswers[],
): Promise<readonly (readonly boolean[])[]> {
  return database.asEngine(async (tx) => {
    await lockBudgets(tx, channel)
    const known = await loadBudgets(tx, channel)
    if (known.some(({ isOff }) => isOff)) return asked.map(allRetired)
    const draws = asked.map(({ kind, host, answers }) => {
      const budget = known.find((one) => one.host === host) ?? FULL_BUDGET
      return { host, ...drawBudget(budget, answers, kind) }
    })
    await tx.query(SAVE, [
      channel.brandId,
      channel.platform,
      channel.version,
      draws.map(({ host }) => host),
      draws.map(({ budget }) => budget.left),
      // Rounded up, so that an acceptance of the same millisecond does not count as a later one.
      draws.map(({ budget }) => new Date(Math.ceil(budget.blamedAt))),
    ])
    const isAnyNew = draws.some(({ host }) => !known.some((one) => one.host === host))
    if (isAnyNew) {
      await tx.query(PRUNE, [channel.brandId, channel.platform, channel.version, BRAKE_RULES.budgetsMax])
    }
    return draws.map(({ mayRetire }) => mayRetire)
  })
}

function allRetired({ answers }: BudgetAnswers): readonly boolean[] {
  return answers.filter(({ isAccepted }) => !isAccepted).map(() => true)
}

/** Fills all budgets of a channel, because its owner has mended what was wrong. */
export async function fillBudgets(tx: Db, ref: ChannelRef): Promise<void> {
  await lockBudgets(tx, ref)
  await tx.query('delete from brake_budgets where brand_id = $1 and platform = $2', [
    ref.brandId,
    ref.platform,
  ])
}

/** Switches the brake of a channel off for a while, because its owner says that the devices are dead. */
export async function switchBrakeOff(tx: Db, channel: BrakedChannel): Promise<void> {
  const { brandId, platform, version, now } = channel
  await fillBudgets(tx, channel)
  await tx.query(
    `insert into brake_budgets (brand_id, platform, host, version, devices_left, blamed_at, off_until)
     values ($1, $2, '', $3, $4, $5, $6)`,
    [brandId, platform, version, BRAKE_RULES.devicesMax, new Date(now), new Date(now + BRAKE_RULES.offMs)],
  )
}

async function lockBudgets(tx: Db, { brandId, platform }: ChannelRef): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('brake ' || $1::text || ' ' || $2, 0))`, [
    brandId,
    platform,
  ])
}

type StoredBudget = BrakeBudget & { readonly host: string; readonly isOff: boolean }

/** A blame from the future was written before the database's clock was set back; it counts as one of now. */
async function loadBudgets(
  tx: Db,
  { brandId, platform, version, now }: BrakedChannel,
): Promise<readonly StoredBudget[]> {
  const { rows } = await tx.query<StoredBudget>(
    `select host, devices_left as left, least(blamed_at, $4) as "blamedAt",
       coalesce(off_until > $4, false) as "isOff"
     from brake_budgets where brand_id = $1 and platform = $2 and version = $3`,
    [brandId, platform, version, new Date(now)],
  )
  return rows
}

const SAVE = {
  name: 'save_brake_budgets',
  text: `insert into brake_budgets (brand_id, platform, host, version, devices_left, blamed_at)
  select $1, $2, host, $3, devices_left, blamed_at
  from unnest($4::text[], $5::real[], $6::timestamptz[]) as drawn (host, devices_left, blamed_at)
  on conflict (brand_id, platform, host) do update
  set version = excluded.version, devices_left = excluded.devices_left, blamed_at = excluded.blamed_at,
    off_until = case when brake_budgets.version = excluded.version then brake_budgets.off_until end`,
}

const PRUNE = `delete from brake_budgets where brand_id = $1 and platform = $2 and (version <> $3 or host in (
  select host from brake_budgets where brand_id = $1 and platform = $2 order by blamed_at desc offset $4))`
