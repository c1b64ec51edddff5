import { SegmentedControl } from '@mantine/core'
import { type CSSProperties, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { PLATFORM_NAMES, type Platform } from '../../../../src/rules/platforms.ts'
import {
  PREVIEW_SYSTEM_NAMES,
  PREVIEW_SYSTEMS,
  type PreviewSurface,
  type PreviewSystem,
} from '../../../../src/rules/previews.ts'
import { dateFormat } from '../formats.ts'
import { useLanguage, useTexts } from '../texts.tsx'
import { Note, type Shown } from './note.tsx'
import styles from './preview.module.css'
import { PREVIEW_TEXTS } from './texts.ts'

type PreviewProps = {
  /** The message of each platform; null where nothing is shown, and absent until there is one. */
  readonly shown: Readonly<Partial<Record<Platform, Shown | null>>>
  /** The name of the app or site. */
  readonly app: string
  /** The site that a browser names; this one when absent. */
  readonly site?: string
  readonly platforms?: readonly string[] | undefined
  /** The platform that is written for: its device comes into view. */
  readonly focus?: Platform | null
}

/** A message as it will look on each kind of device, cut off where that device cuts it off. */
export function Preview({
  shown,
  app,
  site = location.host,
  platforms = PLATFORM_NAMES,
  focus = null,
}: PreviewProps) {
  const texts = useTexts(PREVIEW_TEXTS)
  const [wanted, setWanted] = useWanted(focus)
  const [place, setPlace] = useState('')
  const [theme, setTheme] = useState('light')
  const offered = PREVIEW_SYSTEM_NAMES.filter((name) => platforms.includes(PREVIEW_SYSTEMS[name].platform))
  const system = offered.includes(wanted) ? wanted : (offered[0] ?? 'iphone')
  const surfaces: readonly (readonly [string, PreviewSurface])[] = Object.entries(
    PREVIEW_SYSTEMS[system].surfaces,
  )
  const [name, surface] = surfaces.find(([one]) => one === place) ?? surfaces[0] ?? []
  if (name === undefined || surface === undefined) return null
  const words: Readonly<Record<string, string>> = texts.surfaces
  return (
    <div className={styles.preview}>
      <SegmentedControl
        fullWidth
        aria-label={texts.device}
        value={system}
        data={offered.map((value) => ({ value, label: texts.short[value] }))}
        onChange={setWanted}
      />
      <div className={styles.choices}>
        {surfaces.length > 1 && (
          <SegmentedControl
            aria-label={texts.surface}
            value={name}
            data={surfaces.map(([value]) => ({ value, label: words[value] ?? value }))}
            onChange={setPlace}
          />
        )}
        <SegmentedControl
          className={styles.theme ?? ''}
          aria-label={texts.theme}
          value={theme}
          data={[
            { value: 'light', label: texts.light },
            { value: 'dark', label: texts.dark },
          ]}
          onChange={setTheme}
        />
      </div>
      <Screen
        key={`${system} ${name}`}
        label={texts.label(texts.systems[system], words[name] ?? name)}
        theme={theme}
        {...{ system, surface, app, site }}
        place={name}
        shown={shown[PREVIEW_SYSTEMS[system].platform]}
      />
    </div>
  )
}

/** The device that the reader chose, or that of the platform that is written for since. */
function useWanted(focus: Platform | null) {
  const state = useState<PreviewSystem>('iphone')
  const [, setWanted] = state
  useEffect(() => {
    const first = PREVIEW_SYSTEM_NAMES.find((name) => PREVIEW_SYSTEMS[name].platform === focus)
    if (first !== undefined) setWanted(first)
  }, [focus, setWanted])
  return state
}

type ScreenProps = {
  readonly label: string
  readonly theme: string
  readonly system: PreviewSystem
  readonly place: string
  readonly surface: PreviewSurface
  readonly app: string
  readonly site: string
  readonly shown: Shown | null | undefined
}

/** The width in which a screen is drawn; everything on it is scaled from its system's own units. */
const ROOM = 316

function Screen({ label, theme, system, place, surface, app, site, shown }: ScreenProps) {
  const texts = useTexts(PREVIEW_TEXTS)
  const screen = useRef<HTMLDivElement>(null)
  const [isCut, setCut] = useState(false)
  // Only the layout knows what was cut off.
  useLayoutEffect(() => {
    const words = screen.current?.querySelectorAll('[data-clamped]') ?? []
    setCut([...words].some(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 1))
  })
  const scale = Math.min(1, ROOM / surface.width)
  const style: CSSProperties & Record<string, string> = {
    '--note-width': `${surface.width * scale}px`,
    '--note-font': `${surface.fontSize * scale}px`,
  }
  const isPhone = system === 'iphone' || system === 'android'
  return (
    <figure className={styles.figure} aria-label={label}>
      <div
        ref={screen}
        className={`${isPhone ? styles.phone : styles.desk} ${styles[`on-${place}`] ?? ''}`}
        data-theme={theme}
        data-system={system}
        style={style}
      >
        {isPhone && place !== 'banner' && place !== 'heads-up' && <Clock />}
        {shown === undefined && <p className={styles.hint}>{texts.empty}</p>}
        {shown === null && <p className={styles.hint}>{texts.nothing}</p>}
        {shown !== undefined && shown !== null && <Note {...{ system, surface, shown, app, site }} />}
      </div>
      <figcaption className={styles.caption} aria-live="polite">
        {shown !== undefined && shown !== null && (isCut ? texts.cut : texts.fits)}
      </figcaption>
    </figure>
  )
}

/** The face of a locked phone. */
function Clock() {
  const { language } = useLanguage()
  const day = dateFormat(language, { weekday: 'long', day: 'numeric', month: 'long' })
  return (
    <div className={styles.face} aria-hidden>
      <div>{day.format(new Date())}</div>
      <div className={styles.clock}>9:00</div>
    </div>
  )
}
