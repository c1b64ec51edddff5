import { type Fault, fault } from '../../domain/fault.ts'
import type { Journey } from '../../domain/journeys/plan.ts'
import { type StepReference, stepReferences } from '../../domain/journeys/steps.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { TRANSACTIONAL } from '../../rules/topics.ts'
import type { Db } from '../../store/db.ts'
import { findMissing } from '../../store/journeys/references.ts'
import { findUnknownTopics } from '../../store/preferences/topics.ts'

/** Whether the segments, the webhook endpoints and the topics that a journey names are there. */
export async function checkJourneyReferences(
  tx: Db,
  brandId: number,
  journey: Journey,
): Promise<Result<null>> {
  const references = referencesOf(journey)
  if (references.length === 0) return accept(null)
  const segmentIds = references.flatMap((one) => ('segmentId' in one ? [one.segmentId] : []))
  const endpointIds = references.flatMap((one) => ('endpointId' in one ? [one.endpointId] : []))
  const topics = references.flatMap((one) =>
    'topic' in one && one.topic !== TRANSACTIONAL ? [one.topic] : [],
  )
  const missing = await findMissing(tx, brandId, { segmentIds, endpointIds })
  const unknownTopics = await findUnknownTopics(tx, brandId, topics)
  const faults = references.flatMap((one): readonly Fault[] => {
    if ('segmentId' in one) {
      const isMissing = missing.segmentIds.has(one.segmentId)
      return isMissing ? [refusal(one.path, `there is no segment ${one.segmentId}`)] : []
    }
    if ('topic' in one) {
      return unknownTopics.has(one.topic) ? [refusal(one.path, `there is no topic ${one.topic}`)] : []
    }
    return missing.endpointIds.has(one.endpointId) ? [refusal(one.path, 'there is no such endpoint')] : []
  })
  const [first, ...others] = faults
  return first === undefined ? accept(null) : reject(first, ...others)
}

function refusal(path: string, detail: string): Fault {
  return fault('journey_invalid', path, { detail })
}

function referencesOf({ trigger, steps }: Journey): readonly StepReference[] {
  const started =
    trigger.kind === 'segment'
      ? [{ path: `trigger.segment_${trigger.change}`, segmentId: trigger.segmentId }]
      : []
  const inSteps = [...steps.values()].flatMap((step, at) => stepReferences(step, `steps[${at}]`))
  return [...started, ...inSteps]
}
