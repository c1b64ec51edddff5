import styles from './filter.module.css'

/** Something that the API says about a place of the filter: a flaw, or a warning. */
export type FilterFault = {
  /** The path of the place: `filter.all[1].value`. */
  readonly field: string
  readonly message: string
  readonly tone: 'bad' | 'note'
}

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
