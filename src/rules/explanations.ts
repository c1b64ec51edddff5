/**
 * Why somebody did or did not get a notification, or did or did not enter a journey: a stable code and a sentence.
 * `{…}` are filled in. What happened inside a journey is explained by `journey-notes.ts`.
 */
export const EXPLANATIONS = {
  not_addressed: 'The notification was for somebody else.',
  never_subscribed: 'The person never had a {platform} device.',
  no_live_subscription: 'None of the person’s {platform} devices is live: {detail}.',
  subscribed_later: 'The person’s {platform} device was registered after the notification was sent.',
  tag_missing: 'None of the person’s {platform} devices carries the tag {tag}.',
  not_in_segment: 'The person is not in segment {segment} at this moment.',
  scheduled: 'It is to be sent at {at}.',
  pending: 'It is on its way.',
  notification_cancelled: 'The notification was cancelled.',
  notification_failed: 'The notification could not be sent at all: {reason}.',
  accepted: 'The push service took the message for {subscription} at {at}.',
  received: 'The device {subscription} told that it showed the message.',
  clicked: 'Somebody clicked the message on {subscription}.',
  retrying: 'Handing it over to {subscription} failed and is tried again: {reason}.',
  failed: 'The push service refused the message for {subscription}: {reason}.',
  expired: 'The message for {subscription} was not handed over in time.',
  cancelled: 'The message for {subscription} was left out: {reason}.',
  frequency_capped: 'The person had already got as many notifications that day as the brand allows.',
  journey_not_active: 'The journey is {state}, so nobody enters.',
  journey_unreadable: 'What is stored of version {version} of the journey is damaged, so nobody enters.',
  trigger_never_came: 'The person never did {event}.',
  trigger_before_creation: 'The person did {event}, but before the profile’s creation; that does not count.',
  trigger_before_activation: 'The person did {event} at {at}, before the journey was activated at {since}.',
  trigger_where: 'The person did {event} at {at}, but its attributes are not as the trigger asks.',
  trigger_fresh: 'The person did {event} at {at}; the journey has yet to hear of it.',
  trigger_while_resting: 'The person did {event} at {at}, while nobody could enter; that does not count.',
  entered_before: 'The person did {event} again at {at}; nobody enters this journey twice.',
  inside_already: 'The person did {event} again at {at}, and was inside; nobody enters anew before leaving.',
  never_in_segment_change: 'The person has not {change} segment {segment} since the journey was activated.',
  date_not_due: 'The person’s {attribute} has not come since the journey was activated, or there is none.',
  journey_goes_on: 'The person is at step {step}; something happens next at {at}.',
  journey_rests: 'The journey is {state}, so the person stays at step {step} until it is active again.',
  outcome_forgotten: 'What became of it is not kept any more.',
} as const satisfies Record<string, string>

export type ExplanationCode = keyof typeof EXPLANATIONS
