import { type ActorRef, actorName } from '../domain/team/actor.ts'
import { CHECKED, CUTTABLE } from './connection/question.ts'
import { LOOK_UP_ROWS, WALK_ROWS } from './plans.ts'

/** The parts of a request that the audit log keeps of it. */
export type AuthoredRequest = {
  readonly id: string
  readonly network: string
  readonly caller: { readonly brandId: number; readonly actor: ActorRef }
}

/**
 * A request to the sign-in. Without a caller nobody is signed in yet, and the lines of the audit log name the member whose
 * row is changed: nobody else could finish the sign-in.
 */
export type SignInRequest = Omit<AuthoredRequest, 'caller'> & Partial<Pick<AuthoredRequest, 'caller'>>

/** The author of changes that no request asks for: Beckon itself, or the operator's command line. */
export type OwnAuthor = 'system' | 'cli'

/**
 * The statements that begin a transaction, in one trip. Their settings tell row-level security the brand, and the
 * triggers of the audit log the author.
 */
export const BEGIN = {
  brand: (brandId: number): string => `begin; set local beckon.brand_id = ${Math.trunc(brandId)}`,
  caller: (request: AuthoredRequest): string =>
    `${BEGIN.brand(request.caller.brandId)}${authorSettings(request)}`,
  system: (brandId: number): string => `${BEGIN.brand(brandId)}; set local beckon.actor = system`,
  lookUp: (brandId: number | null): string =>
    `${brandId === null ? 'begin' : BEGIN.brand(brandId)}; ${LOOK_UP_ROWS}`,
  walk: `begin; ${WALK_ROWS}`,
  question: ({ brandId, isOfOneInstant, canWrite = false }: BegunQuestion): string => {
    const settings = canWrite ? CHECKED : CUTTABLE
    const begin = `${brandId === null ? 'begin' : BEGIN.brand(brandId)}; ${settings}`
    return isOfOneInstant ? `${begin}; set transaction isolation level repeatable read` : begin
  },
  engine: (request?: SignInRequest): string =>
    request === undefined ? 'begin' : `begin${authorSettings(request)}`,
} as const

/** A question of one brand or, with null, of any. `canWrite`: it may make a table of its own, which ends with it. */
type BegunQuestion = {
  readonly brandId: number | null
  readonly isOfOneInstant: boolean
  readonly canWrite?: boolean
}

function authorSettings({ id, network, caller }: SignInRequest): string {
  const author = caller === undefined ? {} : { actor: actorName(caller.actor) }
  const settings = { ...author, request_id: id, network }
  return Object.entries(settings)
    .map(([name, value]) => `; set local beckon.${name} = ${quote(value)}`)
    .join('')
}

/** `set` takes no parameters. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
