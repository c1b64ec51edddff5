import { TRANSACTIONAL } from '../../rules/topics.ts'

/** Transactional messages pass opt-outs and quiet hours. A condition on the notification `n`. */
export const IS_STOPPABLE = `n.topic is distinct from '${TRANSACTIONAL}'`

/**
 * The quiet hours of the brand, if they hold for the notification `n`: for what a campaign or a journey sends, and for
 * messages with a topic. The editor who sends a test waits for it.
 */
export const APPLICABLE_QUIET_HOURS = `case when ${IS_STOPPABLE} and not n.is_test
    and (n.topic is not null or n.journey_id is not null or n.campaign_id is not null)
    then brands.quiet_hours end`
