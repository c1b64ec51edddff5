import { fault } from '../fault.ts'
import { accept, type Result, reject } from '../result.ts'
import type { Journey } from './plan.ts'
import { parseJourney } from './reading.ts'
import type { SendMessage } from './steps.ts'

/** The messages of a version's sends, by step, as they are stored. */
export type StoredMessages = Readonly<
  Record<
    string,
    {
      readonly content: SendMessage['content']
      readonly alternatives?: SendMessage['alternatives']
      readonly callerNotificationId: string | null
      readonly topic?: string | null
      readonly template?: { readonly templateId: string; readonly version: number } | null
    }
  >
>

/** One version of a journey, in its stored form. */
export type StoredPlan = { readonly document: unknown; readonly messages: StoredMessages }

/**
 * Reads a stored journey. It was checked when it was saved, so documents that an earlier version accepted are accepted
 * here too. A document that cannot be read was damaged or written by another program.
 */
export function readStoredJourney({ document, messages }: StoredPlan): Result<Journey> {
  const readMessage = ({ path, stepId }: { readonly path: string; readonly stepId: string }) => {
    const message = messages[stepId]
    if (message === undefined) {
      return reject(fault('journey_invalid', path, { detail: 'its message is not stored' }))
    }
    const { content, alternatives = null, callerNotificationId, topic = null, template = null } = message
    return accept({
      content,
      alternatives,
      topic,
      callerNotificationId: callerNotificationId === null ? null : BigInt(callerNotificationId),
      template: template === null ? null : { ...template, templateId: BigInt(template.templateId) },
    })
  }
  return parseJourney(document, readMessage, { isJudged: false })
}
