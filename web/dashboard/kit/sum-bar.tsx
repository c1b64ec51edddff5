import { Count } from './number.tsx'
import styles from './sum-bar.module.css'

export type SumPart = {
  readonly name: string
  readonly value: number
  readonly color: string
  readonly to?: string | undefined
}

type SumBarProps = { readonly parts: readonly SumPart[] }

/** A sum drawn as what it is: a bar whose parts add up, and the parts in figures below. */
export function SumBar({ parts }: SumBarProps) {
  const total = parts.reduce((sum, { value }) => sum + value, 0)
  return (
    <>
      <div className={styles.flow} aria-hidden>
        {parts.map(({ name, value, color }) => (
          <i key={name} style={{ width: `${total === 0 ? 0 : (100 * value) / total}%`, background: color }} />
        ))}
      </div>
      <dl className={styles.sum}>
        {parts.map(({ name, value, color, to }) => (
          <div key={name}>
            <dt>
              <span className={styles.dot} style={{ background: color }} />
              {name}
            </dt>
            <dd>
              <Count value={value} to={to} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  )
}
