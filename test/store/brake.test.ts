import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { BRAKE_RULES } from '../../src/rules/push.ts'
import { type BudgetAnswers, drawBudgets, fillBudgets, switchBrakeOff } from '../../src/store/push/brake.ts'
import { freshDatabase } from '../support/database/database.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const { devicesMax } = BRAKE_RULES
const NOW = Date.now()

/** A worker's answers that blame so many devices, after acceptances that came before `NOW`. */
function blaming(count: number, more: Partial<BudgetAnswers> = {}): BudgetAnswers {
  const accepted = Array.from({ length: 100 }, (_, place) => ({ at: NOW - 1_000 + place, isAccepted: true }))
  const blamed = Array.from({ length: count }, (_, place) => ({ at: NOW + place, isAccepted: false }))
  return { kind: 'setting', host: '', answers: [...accepted, ...blamed], ...more }
}

async function newChannel() {
  const { brandId } = await brand()
  const ref = { brandId, platform: 'ios', version: 1, now: NOW + 60_000 } as const
  const retired = async (asked: BudgetAnswers, version = 1): Promise<number> => {
    const [mayRetire = []] = await drawBudgets(database, { ...ref, version }, [asked])
    return mayRetire.filter(Boolean).length
  }
  return { ref, retired }
}

test('workers that come at once retire no more than one budget, whatever each had accepted before', async () => {
  const { retired } = await newChannel()
  const each = await Promise.all(Array.from({ length: 8 }, async () => retired(blaming(5))))
  assert.equal(
    each.reduce((sum, one) => sum + one),
    devicesMax,
  )
})

test('a budget does not come back with time, but with an accepted message, a new credential or the word of the brand', async () => {
  const { ref, retired } = await newChannel()
  assert.equal(await retired(blaming(20)), devicesMax)
  const later = blaming(1, { answers: [{ at: NOW + 50_000, isAccepted: false }] })
  assert.equal(await retired(later), 0)
  assert.equal(await retired(later, 2), 1)
  assert.equal(await retired(blaming(20), 2), devicesMax - 1)
  await database.asBrand(ref.brandId, async (tx) => fillBudgets(tx, ref))
  assert.equal(await retired(blaming(20), 2), devicesMax)
})

test('each push host, each channel and each brand has budgets of its own', async () => {
  const [mine, other] = [await newChannel(), await newChannel()]
  const host = (name: string) => blaming(20, { kind: 'host', host: name })
  assert.equal(await mine.retired(host('https://one.example')), devicesMax)
  assert.equal(await mine.retired(host('https://one.example')), 0)
  assert.equal(await mine.retired(host('https://two.example')), devicesMax)
  assert.equal(await mine.retired(blaming(20)), devicesMax)
  assert.equal(await other.retired(host('https://one.example')), devicesMax)
})

test('the brake is off for the time that the rules give, when the brand says that the devices are dead', async () => {
  const { ref, retired } = await newChannel()
  assert.equal(await retired(blaming(20)), devicesMax)
  await database.asBrand(ref.brandId, async (tx) => switchBrakeOff(tx, ref))
  assert.equal(await retired(blaming(20)), 20)
  const [late = []] = await drawBudgets(database, { ...ref, now: ref.now + BRAKE_RULES.offMs }, [blaming(20)])
  assert.equal(late.filter(Boolean).length, devicesMax)
})

test('a channel keeps the newest budgets only', async () => {
  const { ref } = await newChannel()
  const hosts = Array.from({ length: BRAKE_RULES.budgetsMax + 5 }, (_, place) => ({
    kind: 'host' as const,
    host: `https://${place}.example`,
    answers: [{ at: NOW + place, isAccepted: false }],
  }))
  await drawBudgets(database, ref, hosts)
  const { rows } = await database.query<{ count: number; oldest: number }>(
    'select count(*)::integer as count, min(blamed_at) as oldest from brake_budgets where brand_id = $1',
    [ref.brandId],
  )
  assert.deepEqual(rows, [{ count: BRAKE_RULES.budgetsMax, oldest: NOW + 5 }])
})
