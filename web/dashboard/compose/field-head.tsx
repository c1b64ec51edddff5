import { Menu, UnstyledButton } from '@mantine/core'
import { encodeJson, type Json } from '../../client/json.ts'
import { useRead } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import type { Counter } from './limits.ts'
import styles from './page.module.css'
import { COMPOSE_TEXTS } from './texts.ts'

type FieldHeadProps = {
  readonly htmlFor: string
  readonly label: string
  readonly counter: Counter
  /** Told the Liquid that is to be put in. */
  readonly onInsert: (tag: string) => void
}

/** The label of a text, the facts that can be put into it, and how much of the platform's limit is used. */
export function FieldHead({ htmlFor, label, counter, onInsert }: FieldHeadProps) {
  const { what } = useTexts(COMPOSE_TEXTS)
  return (
    <div className={styles.fieldHead}>
      <label htmlFor={htmlFor}>{label}</label>
      <Facts label={what.insertInto(label)} onInsert={onInsert} />
      <span className={`tiny num ${counter.isOver ? styles.over : 'faint'}`} data-counter={htmlFor}>
        {counter.says}
      </span>
    </div>
  )
}

type FactsProps = { readonly label: string; readonly onInsert: (tag: string) => void }

/** The attributes of people that the catalogue knows, most used first, and the snippets of the brand. */
function Facts({ label, onInsert }: FactsProps) {
  const { what } = useTexts(COMPOSE_TEXTS)
  const { data } = useRead('GET /api/v1/catalogue/attributes', { query: { limit: 50, values: 1 } })
  const attributes = data?.attributes ?? []
  const shared = useRead('GET /api/v1/snippets', { query: { limit: 50 } })
  const snippets = shared.data?.snippets ?? []
  return (
    <Menu withinPortal={false} position="bottom-start" returnFocus={false}>
      <Menu.Target>
        <UnstyledButton className={styles.insert ?? ''} aria-label={label}>
          {`{ } ${what.insert}`}
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown className={styles.facts ?? ''}>
        {attributes.length === 0 && <Menu.Label>{what.noFacts}</Menu.Label>}
        {attributes.map(({ name, values }) => (
          <Menu.Item key={name} onClick={() => onInsert(`{{ user.${name} }}`)}>
            {name} <span className="quiet tiny">{sampleOf(values[0]?.value)}</span>
          </Menu.Item>
        ))}
        {snippets.length > 0 && <Menu.Label>{what.snippets}</Menu.Label>}
        {snippets.map(({ name, text }) => (
          <Menu.Item key={name} onClick={() => onInsert(`{% render "${name}" %}`)}>
            {name} <span className={`quiet tiny ${styles.sample}`}>{text}</span>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

/** The most frequent value, as an example. */
function sampleOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : encodeJson(value ?? '')
}
