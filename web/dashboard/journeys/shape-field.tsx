import { Checkbox, Group, NativeSelect, NumberInput, Switch, TextInput } from '@mantine/core'
import { FilterBuilder } from '../kit/filter/filter-builder.tsx'
import { useRead } from '../kit/queries.ts'
import { listOf, plainOf } from './draft.ts'
import { DurationField } from './duration-field.tsx'
import { FieldContext, type FieldProps, useNames } from './field-props.ts'
import styles from './fields.module.css'
import { FormsField } from './forms-field.tsx'
import { ListField } from './list-field.tsx'
import { ObjectField } from './object-field.tsx'
import { PushFields } from './push-fields.tsx'
import { idValue, resolved, scalarOf } from './shapes.ts'

/** A field for a value of any shape of the rules. The rules of journeys and filters are the only list of fields there is. */
export function ShapeField(props: FieldProps) {
  return (
    <FieldContext value={AnyField}>
      <AnyField {...props} />
    </FieldContext>
  )
}

function AnyField(props: FieldProps) {
  const { shape: given, ...rest } = props
  if (given.type === 'named' && given.name === 'Duration') return <DurationField {...rest} />
  if (given.type === 'named' && given.name === 'SegmentFilter') return <FilterField {...rest} />
  const shape = resolved(given)
  switch (shape.type) {
    case 'push':
      return <PushFields {...rest} />
    case 'object':
      return <ObjectField {...rest} shape={shape} />
    case 'forms':
      return <FormsField {...rest} shape={shape} />
    case 'list':
      return shape.of.type === 'word' ? (
        <WordsField {...rest} words={shape.of.words} />
      ) : (
        <ListField {...rest} shape={shape} />
      )
    case 'bound':
      return <BoundField {...rest} words={shape.words} />
    case 'int64':
    case 'uuid':
      return <ReferenceField {...rest} isSegment={shape.type === 'int64'} />
    case 'boolean':
      return <BooleanField {...rest} />
    case 'word':
      return <WordField {...rest} words={shape.words} />
    case 'integer':
    case 'number':
      return <AmountField {...rest} shape={shape} />
    case 'text':
    case 'clock':
    case 'date':
    case 'scalar':
    case 'value':
    case 'named':
    default:
      return <TextField {...rest} shape={shape} />
  }
}

type Rest = Omit<FieldProps, 'shape'>

/** A filter is written as on the page of segments. Its faults are told from the filter on. */
function FilterField({ name, value, onChange, path, faults }: Rest) {
  const { label } = useNames()
  const own = [...faults].flatMap(([field, message]) =>
    field.startsWith(path)
      ? [{ field: `filter${field.slice(path.length)}`, message, tone: 'bad' as const }]
      : [],
  )
  return (
    <fieldset className={styles.group}>
      <legend>{label(name)}</legend>
      <FilterBuilder
        value={Object(value ?? {})}
        faults={own}
        onChange={(filter) => onChange(Object(filter))}
      />
    </fieldset>
  )
}

function TextField({ shape, name, value, onChange, path, faults }: FieldProps) {
  const { label } = useNames()
  const isFree = shape.type === 'scalar' || shape.type === 'value'
  const list = SUGGESTED[name]
  return (
    <TextInput
      label={label(name)}
      type={shape.type === 'clock' ? 'time' : 'text'}
      value={plainOf(value)}
      error={faults.get(path)}
      {...(shape.type === 'text' ? { maxLength: shape.charsMax } : {})}
      {...(list === undefined ? {} : { list })}
      onChange={({ currentTarget: { value: typed } }) => onChange(isFree ? scalarOf(typed) : typed)}
    />
  )
}

/** Names that the brand knows already are offered while one types (`suggestions.tsx`). */
const SUGGESTED: Readonly<Record<string, string>> = {
  event: 'known-events',
  attribute: 'known-attributes',
  date: 'known-attributes',
  tag: 'known-tags',
  add_tag: 'known-tags',
  remove_tag: 'known-tags',
}

function AmountField({ shape, name, value, onChange, path, faults }: FieldProps) {
  const { label } = useNames()
  const bounds = shape.type === 'integer' ? { min: shape.min, max: shape.max, allowDecimal: false } : {}
  return (
    <NumberInput
      label={label(name)}
      hideControls
      {...bounds}
      value={typeof value === 'number' ? value : ''}
      error={faults.get(path)}
      onChange={(typed) => onChange(typeof typed === 'number' ? typed : undefined)}
    />
  )
}

function BooleanField({ name, value, onChange }: Rest) {
  const { label } = useNames()
  return (
    <Switch
      label={label(name)}
      checked={value === true}
      onChange={({ currentTarget }) => onChange(currentTarget.checked ? true : undefined)}
    />
  )
}

function WordField({
  words,
  name,
  value,
  onChange,
  path,
  faults,
}: Rest & { readonly words: readonly string[] }) {
  const { label, word } = useNames()
  return (
    <NativeSelect
      label={label(name)}
      value={plainOf(value)}
      error={faults.get(path)}
      data={words.map((one) => ({ value: one, label: word(one) }))}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}

function WordsField({
  words,
  name,
  value,
  onChange,
  path,
  faults,
}: Rest & { readonly words: readonly string[] }) {
  const { label, word } = useNames()
  const chosen = listOf(value).map(plainOf)
  return (
    <Checkbox.Group
      label={label(name)}
      value={chosen}
      error={faults.get(path)}
      onChange={(now) => onChange(now.length === 0 ? undefined : words.filter((one) => now.includes(one)))}
    >
      <Group gap={10} mt={4}>
        {words.map((one) => (
          <Checkbox key={one} size="xs" value={one} label={word(one)} />
        ))}
      </Group>
    </Checkbox.Group>
  )
}

/** One of the words as the only key, with a number: "at least 3". */
function BoundField({
  words,
  name,
  value,
  onChange,
  path,
  faults,
}: Rest & { readonly words: readonly string[] }) {
  const { label, word } = useNames()
  const [operator = '', amount] = Object.entries(Object(value ?? {}))[0] ?? []
  const told = typeof amount === 'number' ? amount : 1
  return (
    <Group gap={8} grow align="flex-end">
      <NativeSelect
        label={label(name)}
        value={operator}
        error={faults.get(path)}
        data={[{ value: '', label: '–' }, ...words.map((one) => ({ value: one, label: word(one) }))]}
        onChange={({ currentTarget: { value: chosen } }) =>
          onChange(chosen === '' ? undefined : { [chosen]: told })
        }
      />
      {operator !== '' && (
        <NumberInput
          aria-label={label(name)}
          hideControls
          min={0}
          value={told}
          onChange={(typed) => onChange({ [operator]: Number(typed) })}
        />
      )}
    </Group>
  )
}

/** A segment or a webhook endpoint of the brand, by its name. */
function ReferenceField({
  name,
  value,
  onChange,
  path,
  faults,
  isSegment,
}: Rest & { readonly isSegment: boolean }) {
  const { label } = useNames()
  const segments = useRead('GET /api/v1/segments', { query: { limit: 100 } }, { isEnabled: isSegment })
  const webhooks = useRead('GET /api/v1/webhooks', {}, { isEnabled: !isSegment })
  const known = isSegment
    ? segments.data?.segments.map(({ segment_id: id, name: said }) => ({ value: String(id), label: said }))
    : webhooks.data?.webhooks.map(({ id, url }) => ({ value: id, label: url }))
  const chosen = plainOf(value)
  const isKnown = known?.some((one) => one.value === chosen) === true
  const unknown = isKnown ? [] : [{ value: chosen, label: chosen === '' ? '–' : chosen }]
  return (
    <NativeSelect
      label={label(name)}
      value={chosen}
      error={faults.get(path)}
      data={[...unknown, ...(known ?? [])]}
      onChange={({ currentTarget: { value: id } }) => onChange(isSegment ? idValue(id) : id)}
    />
  )
}
