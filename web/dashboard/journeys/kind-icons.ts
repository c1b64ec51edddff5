import type { Icon } from '@tabler/icons-react'
import IconArrowsSplit2 from '@tabler/icons-react/dist/esm/icons/IconArrowsSplit2.mjs'
import IconClock from '@tabler/icons-react/dist/esm/icons/IconClock.mjs'
import IconEar from '@tabler/icons-react/dist/esm/icons/IconEar.mjs'
import IconGitBranch from '@tabler/icons-react/dist/esm/icons/IconGitBranch.mjs'
import IconHourglass from '@tabler/icons-react/dist/esm/icons/IconHourglass.mjs'
import IconSend from '@tabler/icons-react/dist/esm/icons/IconSend.mjs'
import IconTag from '@tabler/icons-react/dist/esm/icons/IconTag.mjs'
import IconWebhook from '@tabler/icons-react/dist/esm/icons/IconWebhook.mjs'
import type { JourneyStepKind } from '../../../src/rules/journey-steps.ts'

export const KIND_ICONS: Readonly<Record<JourneyStepKind, Icon>> = {
  send: IconSend,
  wait: IconHourglass,
  wait_until: IconClock,
  wait_for: IconEar,
  branch: IconGitBranch,
  split: IconArrowsSplit2,
  set: IconTag,
  webhook: IconWebhook,
}
