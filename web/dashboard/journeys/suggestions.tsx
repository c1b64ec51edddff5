import { useRead } from '../kit/queries.ts'

/** Names that the brand knows, offered by fields while one types. Any other name may be written too. */
export function Suggestions() {
  const events = useRead('GET /api/v1/events/schema', { query: { limit: 100 } })
  const attributes = useRead('GET /api/v1/catalogue/attributes', { query: { limit: 100, values: 0 } })
  const tags = useRead('GET /api/v1/catalogue/tags', { query: { limit: 500 } })
  const lists = {
    'known-events': events.data?.events.map(({ event_name: name }) => name),
    'known-attributes': attributes.data?.attributes.map(({ name }) => name),
    'known-tags': tags.data?.tags.map(({ value }) => value),
  }
  return (
    <>
      {Object.entries(lists).map(([id, names]) => (
        <datalist key={id} id={id}>
          {names?.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      ))}
    </>
  )
}
