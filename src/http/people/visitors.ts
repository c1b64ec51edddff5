import { type Fault, fault } from '../../domain/fault.ts'
import type { VisitorCommand } from '../../domain/people/visitor-command.ts'
import { isJsonObject } from '../../domain/values/json.ts'
import type { VisitorAdmission } from '../../intake/people/visitor-budgets.ts'
import {
  newVisitorId,
  runVisitorCommands,
  type VisitorOutcome,
} from '../../intake/people/visitor-commands.ts'
import { loadWebCredential } from '../../intake/push/credentials.ts'
import { visitorSince } from '../../store/people/visitors.ts'
import type { Deps } from '../deps.ts'
import { parseWithLocks } from '../events/lock-book.ts'
import { keepRefused } from '../events/refused-entry.ts'
import { pageWarnings } from '../events/reply.ts'
import type { RefusedEntry } from '../fields/entry-list.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { Caller, TenantRequest } from '../request.ts'
import { parseVisitorBody, type VisitorBody } from './visitor-body.ts'

/** POST /api/v1/visitors: a browser that comes for the first time gets a name. Nothing is stored until it does something. */
export async function openVisitor(deps: Deps, { caller }: TenantRequest): Promise<Reply> {
  const { brandId } = caller
  const token = deps.visitors.sign({ brandId, visitorId: newVisitorId() }, deps.clock.now())
  const { keys } = await loadWebCredential(deps, brandId)
  return replySuccess({ visitor: { token }, push_key: keys[0].publicKey })
}

/** POST /api/v1/visitors/commands */
export async function runCommands(deps: Deps, request: TenantRequest): Promise<Reply> {
  const { caller } = request
  const now = deps.clock.now()
  const { timeZone } = caller
  const extraHosts = await deps.loadPushHosts()
  const body = await parseWithLocks(deps, { brandId: caller.brandId, isOfBrowser: true }, (locks) =>
    parseVisitorBody(request.body, { now, timeZone, extraHosts, locks }),
  )
  if (!body.ok) return refuse(body.rejection)
  const visitor = deps.visitors.open(body.value.token, now)
  if (visitor === null || visitor.brandId !== caller.brandId) {
    return refuse({ faults: [fault('visitor_invalid', 'visitor')] })
  }
  if (visitor.age === 'expired') return refuse({ faults: [fault('visitor_expired', 'visitor')] })

  const { visitorId } = visitor
  const { commands, denied } = sift(caller, body.value.commands.entries)
  const rejected = body.value.commands.refused.filter(isEvent).map((refused) => ({
    ...keepRefused(refused),
    identifiers: [visitorId],
  }))
  const { brandId } = caller
  const { endpoint } = body.value
  const since = await visitorSince(deps.database, { brandId, visitorId })
  const { network, bytes } = request
  const rows = body.value.commands.entries.length + body.value.commands.refused.length
  const cost = { brandId, network, bytes: bytes.length, rows, commands }
  const admission = await deps.visitorBudgets.charge({ ...cost, isKnown: since !== null })
  if (admission.kind === 'spent') return refuseSpent(admission)
  const { tooManyNames } = admission
  const admitted = commands.filter(({ index }) => !tooManyNames.has(index))
  const tooMany = [...tooManyNames].map((index) => ({ index, fault: fault('too_many_names') }))
  const call = {
    brandId,
    visitorId,
    endpoint,
    commands: admitted,
    since,
    rejected,
    now,
  }
  const outcome = await runVisitorCommands(deps, call)
  // A browser that comes back keeps its visitor for as long as it does.
  const isSame = outcome.visitorId === visitorId && visitor.age === 'fresh'
  const token = isSame ? null : deps.visitors.sign({ brandId, visitorId: outcome.visitorId }, now)
  return render({ body: body.value, denied: [...denied, ...tooMany], outcome, token })
}

/** 429 says what was spent, and when there is room again. */
function refuseSpent({
  budget,
  max,
  freesInMs,
}: Extract<VisitorAdmission, { readonly kind: 'spent' }>): Reply {
  const seconds = String(Math.max(1, Math.ceil(freesInMs / 1000)))
  const spent = fault('budget_spent', null, { max, what: budget })
  return refuse({ faults: [spent] }, { headers: { 'retry-after': seconds } })
}

/** Of refused commands only events are stored, so that a brand can see what was lost; refused profile data is not stored. */
function isEvent({ given }: RefusedEntry): boolean {
  return isJsonObject(given) && given['do'] === 'event'
}

type Denied = { readonly index: number; readonly fault: Fault }

/** A key may have one of the two scopes only. */
function sift({ scopes }: Caller, given: readonly VisitorCommand[]) {
  const commands: VisitorCommand[] = []
  const denied: Denied[] = []
  for (const command of given) {
    const scope = command.kind === 'subscribe' || command.kind === 'unsubscribe' ? 'subscribe' : 'track'
    if (scopes.includes(scope)) commands.push(command)
    else denied.push({ index: command.index, fault: fault('scope_missing', null, { scope }) })
  }
  return { commands, denied }
}

type Told = {
  readonly body: VisitorBody
  readonly denied: readonly Denied[]
  readonly outcome: VisitorOutcome
  /** A new token for the browser; null if it keeps the one that it has. */
  readonly token: string | null
}

function render({ body, denied, outcome, token }: Told): Reply {
  const refused = [...body.commands.refused, ...denied, ...outcome.refused]
  const unprocessed = refused
    .toSorted((a, b) => a.index - b.index)
    .map(({ index, fault: { field, code, message } }) => ({ index, field, code, message }))
  const total = body.commands.entries.length + body.commands.refused.length
  // Nothing is said of mistyped attributes of a profile: six tries would tell the type that the brand locked.
  const warnings = [...body.commands.warnings, ...pageWarnings(outcome.events)]
  const visitor = token === null ? {} : { visitor: { token } }
  const fields = unprocessed.length === 0 ? visitor : { ...visitor, message: 'partial', unprocessed }
  return replySuccess(fields, { processed: total - unprocessed.length, warnings })
}
