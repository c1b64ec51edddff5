import { fault } from '../../domain/fault.ts'
import {
  SANDBOX_FAULT_LIMITS,
  SANDBOX_FAULT_MEANINGS,
  SANDBOX_FAULTS,
  SANDBOX_HOSTS,
  type SandboxFaultRule,
} from '../../rules/sandbox.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import type { Route } from '../route.ts'
import { parseBody, Type } from '../schema/schema.ts'
import { INSTANT, instantOf, TEXT_OR_NULL } from '../schema/view.ts'

/** POST /sandbox/faults: from now on, a share of the brand's messages to the sandbox fails in this way. */
export async function addSandboxFault(deps: Deps, { caller, body }: TenantRequest): Promise<Reply> {
  const parsed = parseBody(FAULT_DRAFT, body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, warnings } = parsed.value
  const stray = OWN_FIELDS.find(([field, kind]) => value[field] !== undefined && value.fault !== kind)
  if (stray !== undefined) {
    const [field, kind] = stray
    return refuse({ faults: [fault('field_conflict', field, { detail: `it belongs to the fault ${kind}` })] })
  }
  const rule = await deps.sandbox.addFault(caller.brandId, {
    fault: value.fault,
    status: value.status ?? STATUS_DEFAULT,
    retryAfter: value.retry_after ?? null,
    delayMs: value.delay_ms ?? DELAY_MS_DEFAULT,
    share: value.share ?? 1,
    host: value.host ?? null,
    token: value.token ?? null,
    times: value.times ?? null,
    seconds: value.seconds ?? SANDBOX_FAULT_LIMITS.secondsDefault,
  })
  if (rule === null) return refuse(MISSING)
  if (rule === 'too_many') {
    const max = SANDBOX_FAULT_LIMITS.brandRulesMax
    return refuse({ faults: [fault('too_many_sandbox_faults', null, { max })] })
  }
  return replySuccess({ fault: renderRule(rule) }, { warnings })
}

/** GET /sandbox/faults */
export async function listSandboxFaults(deps: Deps, { caller }: TenantRequest): Promise<Reply> {
  const rules = await deps.sandbox.faults(caller.brandId)
  if (rules === null) return refuse(MISSING)
  return replySuccess({ faults: rules.map(renderRule) }, { processed: rules.length })
}

/** DELETE /sandbox/faults: all is well again. */
export async function clearSandboxFaults(deps: Deps, { caller }: TenantRequest): Promise<Reply> {
  const removed = await deps.sandbox.clearFaults(caller.brandId)
  return removed === null ? refuse(MISSING) : replySuccess({}, { processed: removed })
}

const MISSING = { faults: [fault('sandbox_missing')] } as const
const STATUS_DEFAULT = 503
const DELAY_MS_DEFAULT = 15_000
/** The fields that only one fault uses. */
const OWN_FIELDS = [
  ['status', 'answer'],
  ['retry_after', 'answer'],
  ['delay_ms', 'late'],
] as const

const {
  shareMin,
  statusMin,
  statusMax,
  retryAfterSecondsMax,
  delayMsMax,
  secondsMax,
  timesMax,
  tokenCharsMax,
} = SANDBOX_FAULT_LIMITS

const FAULT_DRAFT = Type.Object({
  fault: Type.Enum([...SANDBOX_FAULTS], {
    description: Object.entries(SANDBOX_FAULT_MEANINGS)
      .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
      .join(' '),
  }),
  status: Type.Optional(
    Type.Integer({
      minimum: statusMin,
      maximum: statusMax,
      description: `The status of \`answer\`; by default ${STATUS_DEFAULT}.`,
    }),
  ),
  retry_after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: retryAfterSecondsMax,
      description: 'The Retry-After of `answer`, in seconds.',
    }),
  ),
  delay_ms: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: delayMsMax,
      description: `How much later \`late\` answers, in milliseconds; by default ${DELAY_MS_DEFAULT}.`,
    }),
  ),
  share: Type.Optional(
    Type.Number({
      minimum: shareMin,
      maximum: 1,
      description: 'The share of the messages that fail, by chance: 0.1 is one of ten. By default all.',
    }),
  ),
  host: Type.Optional(
    Type.Enum([...SANDBOX_HOSTS], { description: 'Only this push service; by default all three.' }),
  ),
  token: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: tokenCharsMax,
      description: 'Only this device: its token, or the endpoint of a browser.',
    }),
  ),
  times: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: timesMax,
      description: 'How many messages it happens to at most; by default any number.',
    }),
  ),
  seconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: secondsMax,
      description: `How long it lasts; by default ${SANDBOX_FAULT_LIMITS.secondsDefault}.`,
    }),
  ),
})

const FAULT_VIEW = Type.Object({
  id: Type.Integer(),
  fault: Type.String(),
  status: Type.Union([Type.Integer(), Type.Null()]),
  retry_after: Type.Union([Type.Integer(), Type.Null()]),
  delay_ms: Type.Union([Type.Integer(), Type.Null()]),
  share: Type.Number(),
  host: TEXT_OR_NULL,
  token: TEXT_OR_NULL,
  times: Type.Union([Type.Integer(), Type.Null()]),
  ends_at: INSTANT,
  count: Type.Integer({ description: 'How many messages it has happened to.' }),
})

function renderRule({
  id,
  fault: kind,
  share,
  host,
  token,
  times,
  count,
  ...rule
}: SandboxFaultRule): object {
  return {
    id,
    fault: kind,
    status: kind === 'answer' ? rule.status : null,
    retry_after: kind === 'answer' ? rule.retryAfter : null,
    delay_ms: kind === 'late' ? rule.delayMs : null,
    share,
    host,
    token,
    times,
    ends_at: instantOf(rule.endsAt),
    count,
  }
}

const FACTS = { group: 'Sandbox', path: '/sandbox/faults', scopes: ['push'] } as const

export const SANDBOX_FAULT_ROUTES: readonly Route[] = [
  {
    ...FACTS,
    method: 'POST',
    summary: 'Let the sandbox fail',
    description:
      'Rehearses a bad day: a share of the messages of this brand to the sandbox fails. Of several faults, the first that a message meets happens. Other brands and real push services are not touched.',
    body: 'json',
    bodySchema: FAULT_DRAFT,
    reply: Type.Object({ fault: FAULT_VIEW }),
    example: { fault: 'answer', status: 429, retry_after: 5, share: 0.5, seconds: 60 },
    refusals: ['sandbox_missing', 'too_many_sandbox_faults', 'field_conflict'],
    handler: addSandboxFault,
  },
  {
    ...FACTS,
    method: 'GET',
    summary: 'List the faults of the sandbox',
    body: 'none',
    reply: Type.Object({ faults: Type.Array(FAULT_VIEW) }),
    refusals: ['sandbox_missing'],
    handler: listSandboxFaults,
  },
  {
    ...FACTS,
    method: 'DELETE',
    summary: 'End all faults of the sandbox',
    body: 'none',
    refusals: ['sandbox_missing'],
    handler: clearSandboxFaults,
  },
]
