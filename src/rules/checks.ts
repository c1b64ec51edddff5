import type { ExplanationCode } from './explanations.ts'

/** The checks that a message passes for one person, each with its rule. */
export const CHECKS = {
  person: 'The person is known by the user id.',
  launched: 'The campaign is launched.',
  device: 'The person has a device on a platform of the message.',
  subscribed:
    'The registration of the device is live. A broadcast leaves out virtual devices unless include_virtual_devices is true.',
  audience: 'The device and its person are in the audience.',
  latest_device: 'With reach latest_device, only the device that the person used last gets the message.',
  group: 'The person is in no group that gets nothing for comparison.',
  due: 'The message is due before it expires.',
  topic: 'Neither the person nor the device opted out of the topic, or of everything.',
  quiet_hours: 'The message is not due in the quiet hours of the brand, by the clock of the device.',
  frequency_cap: 'The person has got fewer notifications on the day than the brand allows.',
  channel: 'The channel of the platform can send.',
  sending: 'The operator does not hold all sending.',
  approval: 'A launch for more people than approval_above, or by an author, needs the consent of another.',
  handed_over: 'The push service accepts the message.',
  shown: 'A device reports that it showed the message.',
  clicked: 'The person clicks the message.',
} as const satisfies Record<string, string>

export type CheckName = keyof typeof CHECKS

/** `waits`: time alone lets the message pass, and the checks behind go on. Behind a failed check none is reached. */
export const CHECK_STATES = ['passed', 'waits', 'failed', 'not_reached'] as const
export type CheckState = (typeof CHECK_STATES)[number]

/** The checks of a stored message, in their order. */
export const SENT_CHECKS = [
  'person',
  'launched',
  'device',
  'subscribed',
  'audience',
  'latest_device',
  'group',
  'topic',
  'quiet_hours',
  'frequency_cap',
  'channel',
  'handed_over',
  'shown',
  'clicked',
] as const satisfies readonly CheckName[]

/** The last check that the sending itself answers. Reports of devices come later, or never. */
export const LAST_SENT_CHECK = 'handed_over' satisfies CheckName

type SentVerdict = {
  readonly check: (typeof SENT_CHECKS)[number]
  readonly state: Exclude<CheckState, 'not_reached'>
}

/** The check that a reason answers, and how. A reason that is not listed here belongs to none. */
export const SENT_REASONS: Readonly<Partial<Record<ExplanationCode, SentVerdict>>> = {
  campaign_not_launched: { check: 'launched', state: 'failed' },
  campaign_awaits_approval: { check: 'launched', state: 'failed' },
  campaign_awaits_consent: { check: 'launched', state: 'failed' },
  never_subscribed: { check: 'device', state: 'failed' },
  no_live_subscription: { check: 'subscribed', state: 'failed' },
  only_virtual_devices: { check: 'subscribed', state: 'failed' },
  subscribed_later: { check: 'subscribed', state: 'failed' },
  not_addressed: { check: 'audience', state: 'failed' },
  tag_missing: { check: 'audience', state: 'failed' },
  not_in_segment: { check: 'audience', state: 'failed' },
  not_in_filter: { check: 'audience', state: 'failed' },
  not_listed: { check: 'audience', state: 'failed' },
  got_other_campaign: { check: 'audience', state: 'failed' },
  other_device: { check: 'latest_device', state: 'failed' },
  held_out: { check: 'group', state: 'failed' },
  in_control_group: { check: 'group', state: 'failed' },
  not_in_test: { check: 'group', state: 'waits' },
  in_test: { check: 'group', state: 'passed' },
  variant_chosen: { check: 'group', state: 'passed' },
  opted_out: { check: 'topic', state: 'failed' },
  opted_out_before: { check: 'topic', state: 'failed' },
  quiet_dropped: { check: 'quiet_hours', state: 'failed' },
  quiet_later: { check: 'quiet_hours', state: 'waits' },
  quiet_waited: { check: 'quiet_hours', state: 'passed' },
  frequency_capped: { check: 'frequency_cap', state: 'failed' },
  obstructed: { check: 'channel', state: 'failed' },
  scheduled: { check: 'handed_over', state: 'waits' },
  pending: { check: 'handed_over', state: 'waits' },
  too_many_old_events: { check: 'handed_over', state: 'waits' },
  retrying: { check: 'handed_over', state: 'waits' },
  notification_cancelled: { check: 'handed_over', state: 'failed' },
  notification_failed: { check: 'handed_over', state: 'failed' },
  failed: { check: 'handed_over', state: 'failed' },
  outcome_unknown: { check: 'handed_over', state: 'failed' },
  expired: { check: 'handed_over', state: 'failed' },
  cancelled: { check: 'handed_over', state: 'failed' },
  accepted: { check: 'handed_over', state: 'passed' },
  received: { check: 'shown', state: 'passed' },
  clicked: { check: 'clicked', state: 'passed' },
}
