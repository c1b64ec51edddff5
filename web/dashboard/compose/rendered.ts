import type { Platform } from '../../../src/rules/platforms.ts'
import type { Shown } from '../kit/preview/note.tsx'

/** The text of a message as the server rendered it for the previewed person, on each platform. */
export type Rendered = {
  readonly platforms: Readonly<Partial<Record<Platform, { readonly shown: Shown | null } | undefined>>>
}
