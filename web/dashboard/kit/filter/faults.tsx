import type { FilterFault } from './faults-of.ts'
import styles from './filter.module.css'

/** The faults at a place; with `inside`, also those of everything in it. */
export function faultsAt(
  faults: readonly FilterFault[],
  path: string,
  reach: 'own' | 'inside',
): readonly FilterFault[] {
  return faults.filter(({ field }) => {
    if (field === path) return true
    return reach === 'inside' && (field.startsWith(`${path}.`) || field.startsWith(`${path}[`))
  })
}

export function Faults({ faults }: { readonly faults: readonly FilterFault[] }) {
  if (faults.length === 0) return null
  return (
    <ul className={styles.faults} role={faults.some(({ tone }) => tone === 'bad') ? 'alert' : undefined}>
      {faults.map(({ field, message, tone }) => (
        <li key={`${field} ${message}`} className={styles[tone]}>
          {message}
        </li>
      ))}
    </ul>
  )
}
