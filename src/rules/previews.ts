import type { Platform } from './platforms.ts'

/**
 * The places where a message is seen, and how much of it each shows at its default text size. A width is that of the
 * notification in the units of its system, so that a preview drawn to scale wraps where the device does. A system with
 * larger text, or a maker's own skin, shows less.
 */
export const PREVIEW_SYSTEMS = {
  iphone: {
    platform: 'ios',
    surfaces: {
      /** The notification centre and the lock screen keep four lines of text below the title. */
      lock: { titleLines: 1, messageLines: 4, width: 377, fontSize: 15, picture: 'thumbnail', buttons: 0 },
      banner: { titleLines: 1, messageLines: 2, width: 377, fontSize: 15, picture: 'thumbnail', buttons: 0 },
      /** A long press shows everything, and the picture in full. */
      open: { titleLines: 3, messageLines: 20, width: 377, fontSize: 15, picture: 'large', buttons: 0 },
    },
  },
  android: {
    platform: 'android',
    surfaces: {
      collapsed: {
        titleLines: 1,
        messageLines: 1,
        width: 379,
        fontSize: 14,
        picture: 'thumbnail',
        buttons: 0,
      },
      expanded: { titleLines: 1, messageLines: 12, width: 379, fontSize: 14, picture: 'large', buttons: 0 },
      'heads-up': {
        titleLines: 1,
        messageLines: 1,
        width: 379,
        fontSize: 14,
        picture: 'thumbnail',
        buttons: 0,
      },
    },
  },
  windows: {
    platform: 'web',
    surfaces: {
      /** A toast: two lines of title and four of text, whatever the browser asks for. */
      toast: { titleLines: 2, messageLines: 4, width: 364, fontSize: 14, picture: 'hero', buttons: 2 },
    },
  },
  mac: {
    platform: 'web',
    surfaces: {
      banner: { titleLines: 1, messageLines: 2, width: 344, fontSize: 13, picture: 'thumbnail', buttons: 0 },
    },
  },
  linux: {
    platform: 'web',
    surfaces: {
      /** GNOME opens a banner to six lines under the pointer. Firefox shows neither large pictures nor buttons. */
      banner: { titleLines: 1, messageLines: 6, width: 400, fontSize: 14, picture: 'icon', buttons: 0 },
    },
  },
} as const satisfies Record<
  string,
  { readonly platform: Platform; readonly surfaces: Readonly<Record<string, PreviewSurface>> }
>

export type PreviewSystem = keyof typeof PREVIEW_SYSTEMS

export type PreviewSurface = {
  readonly titleLines: number
  readonly messageLines: number
  readonly width: number
  readonly fontSize: number
  /** Where the picture of the message stands: `hero` is the large picture of browsers of the Chromium family. */
  readonly picture: 'thumbnail' | 'large' | 'icon' | 'hero'
  readonly buttons: number
}

export const PREVIEW_SYSTEM_NAMES = [
  'iphone',
  'android',
  'windows',
  'mac',
  'linux',
] as const satisfies readonly PreviewSystem[]
