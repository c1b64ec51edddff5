import { nameFault } from '../../domain/events/attribute-faults.ts'
import type { TypeLock } from '../../domain/events/type-locks.ts'
import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { actorName } from '../../domain/team/actor.ts'
import {
  ATTRIBUTE_TYPES,
  type AttributeType,
  EVENT_ATTRIBUTES,
  PROFILE_ATTRIBUTES,
} from '../../rules/attributes.ts'
import { EVENT_LIMITS } from '../../rules/events.ts'
import { resetLock } from '../../store/events/lock-claims.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseBody, type Static, Type } from '../schema/schema.ts'
import { TEXT_OR_NULL } from '../schema/view.ts'
import { parseEventName } from './entry-fields.ts'

const LABELS = Object.values(ATTRIBUTE_TYPES).map(({ label }) => label)
const NAME = { maxLength: EVENT_ATTRIBUTES.nameCharsMax }

export const LOCK_RESET_BODY = Type.Object({
  event_name: Type.Optional(
    Type.String({
      maxLength: EVENT_LIMITS.eventNameCharsMax,
      description: 'The event whose attribute is reset; with attribute.',
    }),
  ),
  attribute: Type.Optional(Type.String({ ...NAME, description: 'The attribute of that event.' })),
  user_attribute: Type.Optional(
    Type.String({ ...NAME, description: 'An attribute of profiles, instead of one of an event.' }),
  ),
  type: Type.Optional(
    Type.Enum(LABELS, {
      description: 'Locks to this type at once. Without it, the next value of a secret key decides.',
    }),
  ),
})

export const TYPE_LOCK_VIEW = Type.Object({
  event_name: TEXT_OR_NULL,
  attribute: Type.String(),
  type: Type.Enum(LABELS),
  is_provisional: Type.Boolean(),
})

/** POST /api/v1/events/schema/reset */
export async function resetTypeLock(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseBody(LOCK_RESET_BODY, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const named = parseLockName(parsed.value.value)
  if (!named.ok) return refuse(named.rejection)

  const { brandId, brandExternalId, actor } = request.caller
  const reset = { brandId, ...named.value, type: typeOf(parsed.value.value.type), now: deps.clock.now() }
  const lock = await deps.database.asCaller(request, async (tx) => resetLock(tx, reset))
  if (lock === null) return refuse({ faults: [fault('type_lock_not_found')] })
  deps.intake.forgetLocks(brandId, lock.eventName)
  deps.log.info('a type lock was reset', {
    request_id: request.id,
    brand: brandExternalId,
    actor: actorName(actor),
    event_name: lock.eventName,
    attribute: lock.attribute,
    type: reset.type,
  })
  return replySuccess({ type_lock: renderLock(lock) }, { warnings: parsed.value.warnings })
}

type LockName = { readonly eventName: string; readonly attribute: string }

/** An attribute of an event or of profiles, never both: a typing mistake must not reset another attribute. */
function parseLockName(given: Static<typeof LOCK_RESET_BODY>): Result<LockName> {
  const { event_name: eventName, attribute, user_attribute: userAttribute } = given
  if (userAttribute !== undefined && (eventName !== undefined || attribute !== undefined)) {
    return reject(
      fault('field_conflict', 'user_attribute', { detail: 'event_name and attribute name another one' }),
    )
  }
  if (userAttribute !== undefined) {
    const bad = nameFault(userAttribute, PROFILE_ATTRIBUTES)
    return bad === null ? accept({ eventName: '', attribute: userAttribute }) : reject(bad)
  }
  const name = parseEventName(eventName, new Set())
  if (!name.ok) return name
  if (attribute === undefined) return reject(fault('field_missing', 'attribute'))
  const bad = nameFault(attribute, EVENT_ATTRIBUTES)
  return bad === null ? accept({ eventName: name.value, attribute }) : reject(bad)
}

function typeOf(label: string | undefined): AttributeType | null {
  const [type = ''] = Object.entries(ATTRIBUTE_TYPES).find(([, row]) => row.label === label) ?? []
  return isAttributeType(type) ? type : null
}

function isAttributeType(text: string): text is AttributeType {
  return Object.hasOwn(ATTRIBUTE_TYPES, text)
}

function renderLock({ eventName, attribute, type, isProvisional }: TypeLock): object {
  return {
    event_name: eventName === '' ? null : eventName,
    attribute,
    type: ATTRIBUTE_TYPES[type].label,
    is_provisional: isProvisional,
  }
}
