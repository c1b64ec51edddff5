import { type Fault, fault } from '../../domain/fault.ts'
import type { VisitorCommand } from '../../domain/people/visitor-command.ts'
import { isJsonObject } from '../../domain/values/json.ts'
import {
  newVisitorId,
  runVisitorCommands,
  type VisitorOutcome,
} from '../../intake/people/visitor-commands.ts'
import { loadWebCredential } from '../../intake/push/credentials.ts'
import { VISITOR_COMMANDS, VISITOR_LIMITS } from '../../rules/people.ts'
import type { Deps } from '../deps.ts'
import { keepRefused } from '../events/refused-entry.ts'
import { lockWarning } from '../events/reply.ts'
import type { RefusedEntry } from '../fields/entry-list.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { Caller, TenantRequest } from '../request.ts'
import type { Route } from '../route.ts'
import { Type } from '../schema/schema.ts'
import { parseVisitorBody, type VisitorBody } from './visitor-body.ts'

/** POST /api/v1/visitors: a browser that comes for the first time gets a name. Nothing is stored until it does something. */
export async function openVisitor(deps: Deps, { caller }: TenantRequest): Promise<Reply> {
  const { brandId } = caller
  const token = deps.visitors.sign({ brandId, visitorId: newVisitorId() })
  const { keys } = await loadWebCredential(deps, brandId)
  return replySuccess({ visitor: { token }, push_key: keys[0].publicKey })
}

/** POST /api/v1/visitors/commands */
export async function runCommands(deps: Deps, request: TenantRequest): Promise<Reply> {
  const { caller } = request
  const now = deps.clock.now()
  const { timeZone } = caller
  const body = parseVisitorBody(request.body, { now, timeZone, extraHosts: deps.pushHosts })
  if (!body.ok) return refuse(body.rejection)
  const visitor = deps.visitors.open(body.value.token)
  if (visitor === null || visitor.brandId !== caller.brandId) {
    return refuse({ faults: [fault('visitor_invalid', 'visitor')] })
  }

  const { visitorId } = visitor
  const { commands, denied } = sift(caller, body.value.commands.entries)
  const rejected = body.value.commands.refused.filter(isEvent).map((refused) => ({
    ...keepRefused(refused),
    identifiers: [visitorId],
  }))
  const { brandId, identityVerification } = caller
  const { endpoint } = body.value
  const call = { brandId, identityVerification, visitorId, endpoint, commands, rejected, now }
  const outcome = await runVisitorCommands(deps, call)
  return render(deps, { body: body.value, denied, outcome, visitorId, brandId })
}

/** Only events are kept when they are refused: a brand may see what it lost, and a person is nobody's to look at. */
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
  readonly visitorId: string
  readonly brandId: number
}

function render({ visitors }: Deps, { body, denied, outcome, visitorId, brandId }: Told): Reply {
  const refused = [...body.commands.refused, ...denied, ...outcome.refused]
  const unprocessed = refused
    .toSorted((a, b) => a.index - b.index)
    .map(({ index, fault: { field, code, message } }) => ({ index, field, code, message }))
  const total = body.commands.entries.length + body.commands.refused.length
  const warnings = [
    ...body.commands.warnings,
    ...outcome.mistypedEvents.map((one) => lockWarning(one)),
    ...outcome.mistypedProfiles.map((one) => lockWarning(one, 'user_attributes')),
  ]
  const isSame = outcome.visitorId === visitorId
  const token = isSame ? {} : { visitor: { token: visitors.sign({ brandId, visitorId: outcome.visitorId }) } }
  const fields = unprocessed.length === 0 ? token : { ...token, message: 'partial', unprocessed }
  return replySuccess(fields, { processed: total - unprocessed.length, warnings })
}

const VISITOR = Type.Object({ token: Type.String({ description: 'Shows who the browser is. Keep it.' }) })

const COMMANDS = Type.Object({
  visitor: Type.String({ description: 'The token that POST /api/v1/visitors gave this browser.' }),
  sent_at: Type.Optional(
    Type.Integer({ description: 'The browser’s clock, in milliseconds since 1970, to allow for its error.' }),
  ),
  endpoint: Type.Optional(
    Type.String({ description: 'The push endpoint of the browser, which moves along on login and logout.' }),
  ),
  commands: Type.Array(Type.Object({ do: Type.Enum([...VISITOR_COMMANDS]) }), {
    minItems: 1,
    maxItems: VISITOR_LIMITS.commandsMax,
    description: 'What was done, in its order; each is judged by itself. docs/web-sdk.md has their fields.',
  }),
})

/** Public as it is, a key may stand in the address: then a browser need not ask first whether it may send a header. */
const KEY_QUERY = Type.Object({
  key: Type.Optional(Type.String({ description: 'The publishable key, in place of a header.' })),
})

const FACTS = {
  method: 'POST',
  querySchema: KEY_QUERY,
  group: 'Web',
  scopes: ['track', 'subscribe'],
  cors: 'brand',
  rateLimit: 'visitor',
} as const

/** What the web SDK calls. A publishable key can do this and nothing else, and none of it reads. */
const OPEN_ROUTE: Route = {
  ...FACTS,
  path: '/api/v1/visitors',
  summary: 'Gives a browser a name',
  description:
    'With a publishable key, as a header or as ?key=, from an allowed origin. The reply also has the key with which the browser subscribes to pushes.',
  body: 'none',
  reply: Type.Object({ visitor: VISITOR, push_key: Type.String() }),
  refusals: ['origin_not_allowed'],
  handler: openVisitor,
}

const TOKEN_WORDS = 'the token that POST /api/v1/visitors gave'

export const VISITOR_ROUTES: readonly Route[] = [
  OPEN_ROUTE,
  {
    ...FACTS,
    path: '/api/v1/visitors/commands',
    summary: 'Takes what a browser has to tell',
    description:
      'Whom it is about is the visitor, and nobody else can be named. All of it is committed, in its order, before the reply.',
    body: 'json',
    bodyBytesMax: VISITOR_LIMITS.bodyBytesMax,
    bodySchema: COMMANDS,
    reply: Type.Object({
      visitor: Type.Optional(VISITOR),
      unprocessed: Type.Optional(Type.Array(Type.Object({ index: Type.Integer(), code: Type.String() }))),
    }),
    example: {
      visitor: TOKEN_WORDS,
      commands: [{ do: 'event', event_name: 'added_to_cart', attributes: { sku: 'A-1' } }],
    },
    exampleFrom: { route: OPEN_ROUTE, member: 'token', pick: 'first', replaces: TOKEN_WORDS },
    refusals: ['origin_not_allowed', 'visitor_invalid', 'user_unverified', 'too_many_entries'],
    handler: runCommands,
  },
]
