import { PLATFORMS, type Platform } from '../../../src/rules/platforms.ts'
import { useFormat } from '../kit/number.tsx'
import { useTexts } from '../kit/texts.tsx'
import type { Draft, Words } from './draft.ts'
import type { Rendered } from './rendered.ts'
import { COMPOSE_TEXTS } from './texts.ts'

export type Counter = { readonly says: string; readonly isOver: boolean }

type Counted = {
  readonly draft: Draft
  readonly rendered: Rendered | undefined
  readonly field: keyof Words
  readonly text: string
  /** The platform whose own text it is; null for the text of all. */
  readonly platform: Platform | null
}

/** How much of the tightest platform's limit a text uses. A text with facts is counted as the previewed person sees it. */
export function useLimits({ draft, rendered, field, text, platform }: Counted): Counter {
  const { what } = useTexts(COMPOSE_TEXTS)
  const format = useFormat()
  const filled = /\{[{%]/.test(text) ? shownOf(rendered, platform)?.[field] : undefined
  const used = Array.from(filled ?? text).length
  const max = limitOf(platform === null ? draft.platforms : [platform], field)
  if (max === null) return { says: format.count(used), isOver: false }
  return { says: what.count(format.count(used), format.count(max)), isOver: used > max }
}

function shownOf(rendered: Rendered | undefined, platform: Platform | null) {
  const platforms = rendered?.platforms ?? {}
  return (platform === null ? Object.values(platforms)[0] : platforms[platform])?.shown
}

function limitOf(platforms: readonly string[], field: keyof Words): number | null {
  const limits = Object.entries(PLATFORMS)
    .filter(([name]) => platforms.includes(name))
    .flatMap(([, rules]) => (field === 'title' ? rules.titleCharsMax : rules.messageCharsMax) ?? [])
  return limits.length === 0 ? null : Math.min(...limits)
}
