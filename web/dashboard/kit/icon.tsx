import type { Icon as Drawing } from '@tabler/icons-react'

/** An icon in the one size and stroke of the dashboard. It never carries meaning alone, so readers skip it. */
export function Icon({ of: Shape, size = 17 }: { readonly of: Drawing; readonly size?: number }) {
  return <Shape size={size} stroke={1.6} aria-hidden focusable={false} />
}
