/**
 * Settings of connections for statements on queues. A queue is empty one moment and long the next, and the plan of a
 * named statement is kept: a plan that reads the whole table is good while the table is empty, and ruinous later. With
 * these settings PostgreSQL only steps through indexes, and makes the plan once for each connection. Every join is a
 * nested loop then, so that such a statement must not join two large sets that it has made itself.
 */
export const PLANS_BY_INDEX = settings({ scans: 'off', cache: 'force_generic_plan' })
  .map((setting) => `-c ${setting}`)
  .join(' ')

/** Gives a part of a transaction on such a connection the whole choice of plans. */
export async function withFreePlans<Value>(tx: Sql, work: () => Promise<Value>): Promise<Value> {
  await tx.query(PLAN_FREELY)
  const value = await work()
  await tx.query(PLAN_BY_INDEX)
  return value
}

/** The part of a transaction that is needed here. */
type Sql = { readonly query: (statement: string) => Promise<unknown> }

const PLAN_FREELY = setLocal({ scans: 'on', cache: 'auto' })
const PLAN_BY_INDEX = setLocal({ scans: 'off', cache: 'force_generic_plan' })

type Plans = { readonly scans: 'on' | 'off'; readonly cache: 'auto' | 'force_generic_plan' }

function setLocal(plans: Plans): string {
  return settings(plans)
    .map((setting) => `set local ${setting}`)
    .join('; ')
}

function settings({ scans, cache }: Plans): readonly string[] {
  const switches = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin'].map((name) => `enable_${name}=${scans}`)
  return [...switches, `plan_cache_mode=${cache}`]
}

/**
 * For a transaction whose every statement takes the next rows of an index. The planner would rather read and sort all
 * rows of a brand where it has no statistics yet, as after an import, and would do so for every page.
 */
export const STEP_ALONG_INDEX = steps('off')

/** Ends that for the rest of a transaction. */
export const STEP_FREELY = steps('on')

function steps(choice: 'on' | 'off'): string {
  return ['enable_seqscan', 'enable_bitmapscan', 'enable_sort']
    .map((plan) => `set local ${plan} = ${choice}`)
    .join('; ')
}

/**
 * For a transaction that looks up the few rows of a page, one after the other, through indexes. Unlike above, few rows may
 * be sorted: without a sort, PostgreSQL would look for one person's rows along an index that has another order.
 */
export const LOOK_UP_ROWS = ['enable_seqscan', 'enable_bitmapscan', 'enable_hashjoin', 'enable_mergejoin']
  .map((plan) => `set local ${plan} = off`)
  .join('; ')

/**
 * The same for a page that is cut from a long walk along an index. The plan is made without looking at the values: for a
 * search that finds everybody, PostgreSQL would look up all of them before it cuts the page, and plan each call anew.
 */
export const WALK_ROWS = `${LOOK_UP_ROWS}; set local plan_cache_mode = force_generic_plan`

/**
 * For a transaction that joins large sets which it has made itself. PostgreSQL expects a row or two of a set that was made in
 * several steps, and would read all events of a name again for each of its people.
 */
export const JOIN_SETS = 'set local enable_nestloop = off'
