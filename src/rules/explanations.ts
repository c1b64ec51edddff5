import { OLD_EVENTS_ADVICE } from './event-files.ts'

/**
 * The reasons why a person did or did not get a notification, or did or did not enter a journey: a stable code and a
 * sentence. Words in braces are filled in. `JOURNEY_NOTES` in `journeys.ts` explains each step inside a journey.
 */
export const EXPLANATIONS = {
  // The person was not in the audience of the notification
  not_addressed: 'The notification was for somebody else.',
  never_subscribed: 'The person never had a {platform} device.',
  no_live_subscription: 'None of the person’s {platform} devices is live: {detail}.',
  only_virtual_devices:
    'The person has only virtual {platform} devices, which a broadcast leaves out unless include_virtual_devices is true.',
  subscribed_later: 'The person’s {platform} device was registered after the notification was sent.',
  tag_missing: 'None of the person’s {platform} devices carries the tag {tag}.',
  not_in_segment: 'The person is not in segment {segment} at this moment.',
  not_in_filter: 'The filter of the audience does not find the person at this moment.',
  not_listed: 'The person is not on the list of people that the campaign is for.',
  got_other_campaign:
    'The campaign leaves out the people who got campaign {campaign}, and the person got it.',
  held_out: 'The person belongs to the {percent} percent of the audience who get nothing, for comparison.',
  in_control_group: 'The person belongs to the {percent} percent of the brand’s people who get no campaigns.',
  not_in_test:
    'The variants are tried on {percent} percent of the audience first, and the person is not among them.',
  in_test: 'The person was among the {percent} percent of the audience on whom the variants were tried.',
  other_device:
    'The campaign notifies only the device that was used last, which is {subscription} on {platform}.',

  // A campaign that is not launched, check by check
  person_known: 'The user id {user} is known since {since}.',
  person_unknown: 'Nobody has the user id {user}.',
  has_devices: 'Devices of the person on {platform}: {count}.',
  is_subscribed: 'Live devices: {count} of {all}.',
  for_everyone: 'The campaign is for everyone.',
  in_audience: 'The person is in the audience, which is narrowed by {parts}.',
  every_device: 'Each device of the person gets the message.',
  other_device_now:
    'The campaign notifies only the device that was used last, and that is on another platform or not in the audience.',
  latest_device: 'The device that the person used last is {subscription} on {platform}.',
  not_divided: 'The campaign and the brand hold nobody out.',
  not_held_out: 'The person is not among the people who get nothing ({percent} percent).',
  variant_planned:
    'The person gets variant {variant}, and is not among the people who get nothing ({percent} percent).',
  group_not_drawn:
    'The people who get nothing ({percent} percent) are drawn by the number of the campaign, which it has when it is stored.',
  is_due: 'The message is due at {at}.',
  expired_when_due: 'The message was due at {at}, and expired at {end}.',
  not_opted_out: 'There is no opt-out of {topic}.',
  opted_out_now: '{holder} has opted out of {topic} since {since}.',
  opt_outs_passed: 'Opt-outs do not concern transactional messages.',
  no_quiet_hours: 'The brand has no quiet hours.',
  quiet_hours_passed: 'Quiet hours do not concern transactional messages.',
  outside_quiet_hours:
    'The message is due at {at}, outside the quiet hours from {from} to {until} in {zone}.',
  waits_for_quiet_end:
    'The message is due at {at}, in the quiet hours from {from} to {until} in {zone}, and waits until {end}.',
  dropped_in_quiet_hours:
    'The message is due at {at}, in the quiet hours from {from} to {until} in {zone}, and is not sent.',
  no_cap: 'No frequency cap holds for the message.',
  below_cap: 'On {day} the person has got {count} of {cap} notifications.',
  cap_reached: 'On {day} the person has already got {count} notifications, and the brand allows {cap}.',
  channel_sends: 'The channel of {platform} sends.',
  channel_obstructed: 'Nothing is sent on {platform} at present ({reason}). {advice}',
  sending_goes_on: 'Sending is not held.',
  sending_held: 'The operator holds all sending, so the message waits until sending is resumed.',
  no_consent_needed: 'The launch needs no consent of another; approval_above is {above}.',
  approver_launches:
    'The campaign is for {people} people, and approval_above is {above}. Whoever may approve needs no consent of another.',
  below_approval: 'The campaign is for {people} people, and approval_above is {above}.',
  consent_needed:
    'The campaign is for {people} people, and approval_above is {above}. The launch waits for the consent of another.',
  author_asks: 'An author launches with the consent of another only.',

  // The notification as a whole
  scheduled: 'The notification is scheduled for {at}.',
  pending: 'The notification is being sent.',
  obstructed: 'The notification waits, because nothing is sent on {platform} at present ({reason}). {advice}',
  too_many_old_events: `The notification is due since {at}, but its audience needs too many old events, so it is tried again less and less often. ${OLD_EVENTS_ADVICE}`,
  notification_cancelled: 'The notification was cancelled.',
  notification_failed: 'The notification could not be sent at all: {reason}.',

  campaign_not_launched: 'The campaign is {state}, so nothing was sent yet.',
  campaign_awaits_approval:
    'The campaign awaits a second consent: it is for {people} people, and the brand’s approval_above is {above}.',
  campaign_awaits_consent:
    'The campaign awaits a second consent, because {requester} asked for it. It is for {people} people, and the brand’s approval_above is {above}, which does not demand it today: the requester may not launch, or the number was another one then.',

  // The delivery to one subscription
  accepted: 'The push service accepted the message for {subscription} at {at}.',
  variant_chosen: 'The message for {subscription} was variant {variant}.',
  best_hour_own:
    'By what is known today, the hour of the person is {hour}:00 in {zone}: in the last 60 days they were active at this hour on {count} days. {due}',
  best_hour_brand:
    'By what is known today, the person was not active in the last 60 days at an hour that could be chosen. The hour of the brand is {hour}:00, with {count} events, by the clock in {zone}. {due}',
  best_hour_none:
    'By what is known today, neither the person nor the brand was active in the last 60 days at an hour that could be chosen. {due}',
  language_chosen: 'The message for {subscription} was in {language}, because {cause}.',
  received: 'The device {subscription} reported that it showed the message.',
  clicked: 'The message was clicked on {subscription}.',
  retrying: 'The message for {subscription} could not be sent yet and is tried again: {reason}.',
  failed: 'The message for {subscription} failed: {reason}.',
  outcome_unknown:
    'The message for {subscription} was sent, and the push service did not answer. It may have arrived.',
  expired: 'The message for {subscription} expired before it could be sent.',
  cancelled: 'The message for {subscription} was not sent: {reason}.',
  frequency_capped: 'The person had already got as many notifications that day as the brand allows: {cap}.',
  opted_out: '{holder} opted out of {topic} at {since}, so the message for {subscription} was not sent.',
  opted_out_before:
    'The message for {subscription} was not sent, because the person or the device had opted out of {topic} at that time.',
  quiet_later:
    'The message for {subscription} is sent when the quiet hours end that held at {at}: from {from} to {until} in {zone}.',
  quiet_waited:
    'The message for {subscription} waited until the quiet hours ended: from {from} to {until} in {zone}.',
  quiet_dropped:
    'The message for {subscription} was not sent at {at}, because it fell into the quiet hours: from {from} to {until} in {zone}.',
  outcome_forgotten: 'The outcome of the notification is not kept any more.',

  // The person did not enter the journey
  journey_not_active: 'The journey is {state}, so nobody enters it.',
  journey_unreadable: 'The stored version {version} of the journey cannot be read, so nobody enters it.',
  trigger_never_came: 'The event {event} never came for this person.',
  trigger_before_creation:
    'The event {event} came before the profile was created, so it does not start the journey.',
  trigger_before_activation:
    'The event {event} came at {at}, before the journey was activated at {since}, so it does not start the journey.',
  trigger_where: 'The event {event} came at {at}, but its attributes do not match the trigger.',
  trigger_fresh: 'The event {event} came at {at}. The journey has not read it yet.',
  trigger_while_resting:
    'The event {event} came at {at}, while nobody could enter the journey, so it does not start the journey.',
  entered_before: 'The event {event} came again at {at}, but a person enters this journey only once.',
  inside_already:
    'The event {event} came again at {at}, while the person was still inside. A person enters again only after leaving.',
  never_in_segment_change: 'The person has not {change} segment {segment} since the journey was activated.',
  date_not_due:
    'The person has no date in {attribute}, or the date has not come since the journey was activated.',

  // The person is inside the journey
  journey_goes_on: 'The person is at step {step}. The journey continues at {at}.',
  journey_rests: 'The journey is {state}, so the person stays at step {step} until it is active again.',
} as const satisfies Record<string, string>

export type ExplanationCode = keyof typeof EXPLANATIONS
