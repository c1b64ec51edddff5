import { type CSSProperties, useState } from 'react'
import type { PreviewSurface, PreviewSystem } from '../../../../src/rules/previews.ts'
import { useTexts } from '../texts.tsx'
import styles from './preview.module.css'
import { PREVIEW_TEXTS } from './texts.ts'

/** The parts of a message that a person sees, as a dry run renders them. */
export type Shown = {
  readonly title: string
  readonly message: string
  readonly image_url: string | null
  readonly hero_image_url: string | null
  readonly buttons: readonly string[]
}

type NoteProps = {
  readonly system: PreviewSystem
  readonly surface: PreviewSurface
  readonly shown: Shown
  readonly app: string
  /** The site of a browser's message. */
  readonly site: string
}

/** One notification as a system draws it: so many lines of each text, and the rest is cut off. */
export function Note({ system, surface, shown, app, site }: NoteProps) {
  const { now } = useTexts(PREVIEW_TEXTS)
  const isBrowser = system === 'windows' || system === 'mac' || system === 'linux'
  const image = safe(surface.picture === 'hero' ? (shown.hero_image_url ?? null) : shown.image_url)
  const isBelow = surface.picture === 'large' || surface.picture === 'hero'
  return (
    <div className={`${styles.note} ${styles[system]}`}>
      {surface.picture === 'hero' && <Picture url={image} className={styles.hero} />}
      <div className={styles.row}>
        <AppIcon app={app} url={isBrowser ? safe(shown.image_url) : null} />
        <div className={styles.words}>
          {system === 'android' && (
            <div className={styles.source}>
              {app} · {now}
            </div>
          )}
          <div className={styles.head}>
            <Clamped className={styles.title} lines={surface.titleLines} text={shown.title} />
            {system === 'iphone' && <span className={styles.when}>{now}</span>}
          </div>
          {system === 'mac' && <div className={styles.source}>{site}</div>}
          <Clamped className={styles.text} lines={surface.messageLines} text={shown.message} />
          {(system === 'windows' || system === 'linux') && <div className={styles.source}>{site}</div>}
        </div>
        {surface.picture === 'thumbnail' && <Picture url={image} className={styles.thumbnail} />}
      </div>
      {isBelow && surface.picture === 'large' && <Picture url={image} className={styles.large} />}
      {surface.buttons > 0 && shown.buttons.length > 0 && (
        <div className={styles.buttons}>
          {shown.buttons.slice(0, surface.buttons).map((title) => (
            <span key={title}>{title}</span>
          ))}
        </div>
      )}
    </div>
  )
}

/** Pictures of messages are https only, as the push services demand. */
function safe(url: string | null): string | null {
  return url?.startsWith('https://') === true ? url : null
}

function Picture({
  url,
  className,
}: {
  readonly url: string | null
  readonly className: string | undefined
}) {
  const [failed, setFailed] = useState<string | null>(null)
  if (url === null || failed === url) return null
  return (
    <img src={url} alt="" className={className} onError={() => setFailed(url)} referrerPolicy="no-referrer" />
  )
}

function AppIcon({ app, url }: { readonly app: string; readonly url: string | null }) {
  return (
    <span className={styles.icon} aria-hidden>
      {app.slice(0, 1).toUpperCase()}
      <Picture url={url} className={styles.iconPicture} />
    </span>
  )
}

type ClampedProps = {
  readonly className: string | undefined
  readonly lines: number
  readonly text: string
}

/** A text of at most so many lines. */
function Clamped({ className = '', lines, text }: ClampedProps) {
  const style: CSSProperties = { WebkitLineClamp: lines }
  return (
    <div data-clamped className={`${styles.clamped} ${className}`} style={style}>
      {text}
    </div>
  )
}
