import { NativeSelect } from '@mantine/core'
import { use } from 'react'
import type { DocumentForm, DocumentShape } from '../../../src/rules/documents.ts'
import { type Fields, fieldsOf, plainOf, withField } from './draft.ts'
import { FieldContext, type FieldProps, useNames } from './field-props.ts'
import styles from './fields.module.css'
import { ObjectField } from './object-field.tsx'
import { compared, emptyForm, operatorsOf, shapeFor } from './shapes.ts'

type FormsShape = Extract<DocumentShape, { type: 'forms' }>

/** One of several forms: which, and what it asks for. */
export function FormsField({ shape, name, value, onChange, path, faults }: FieldProps<FormsShape>) {
  const { label } = useNames()
  const fields = fieldsOf(value)
  const names = Object.keys(shape.forms)
  const chosen = names.find((one) => Object.hasOwn(fields, one)) ?? names[0] ?? ''
  const form = shape.forms[chosen]
  return (
    <div className={styles.inner}>
      {names.length > 1 && (
        <NativeSelect
          label={label(name)}
          value={chosen}
          error={faults.get(path)}
          data={names.map((one) => ({ value: one, label: label(one) }))}
          onChange={({ currentTarget }) => onChange(emptyForm(shape, currentTarget.value))}
        />
      )}
      {form !== undefined && <Form {...{ form, chosen, fields, onChange, path, faults }} />}
    </div>
  )
}

type FormProps = Pick<FieldProps, 'onChange' | 'path' | 'faults'> & {
  readonly form: DocumentForm
  readonly chosen: string
  readonly fields: Fields
}

function Form({ form, chosen, fields, onChange, path, faults }: FormProps) {
  const Field = use(FieldContext)
  const at = path === '' ? chosen : `${path}.${chosen}`
  const changeKey = (changed: Fields[string]): void => {
    const told = { ...fields, [chosen]: changed ?? '' }
    const { compares } = form
    const isOfOwnKind = compares !== undefined && !Object.hasOwn(compares, '*')
    onChange(
      isOfOwnKind ? compared(told, operatorsOf(shapeFor(compares, changed)), plainOf(fields['is'])) : told,
    )
  }
  return (
    <>
      <Field
        shape={form.shape}
        name={chosen}
        value={fields[chosen]}
        path={at}
        faults={faults}
        onChange={changeKey}
      />
      {form.compares !== undefined && <Comparison {...{ form, chosen, fields, onChange, path, faults }} />}
      {form.beside !== undefined && (
        <ObjectField
          shape={{ type: 'object', keys: withoutId(form.beside) }}
          name={chosen}
          value={fields}
          onChange={onChange}
          path={path}
          faults={faults}
        />
      )}
    </>
  )
}

/** The name of a step has a field of its own, which tells every way. */
function withoutId(keys: NonNullable<DocumentForm['beside']>): NonNullable<DocumentForm['beside']> {
  return Object.fromEntries(Object.entries(keys).filter(([name]) => name !== 'id'))
}

function Comparison({ form, chosen, fields, onChange, path, faults }: FormProps) {
  const Field = use(FieldContext)
  const { label, word } = useNames()
  const operators = operatorsOf(shapeFor(form.compares ?? {}, fields[chosen]))
  const operator = plainOf(fields['is']) || (operators[0]?.[0] ?? '')
  const shape = operators.find(([name]) => name === operator)?.[1] ?? null
  return (
    <>
      <NativeSelect
        label={label('is')}
        value={operator}
        error={faults.get(`${path}.is`)}
        data={operators.map(([name]) => ({ value: name, label: word(name) }))}
        onChange={({ currentTarget }) => onChange(compared(fields, operators, currentTarget.value))}
      />
      {shape !== null && (
        <Field
          shape={shape}
          name="value"
          value={fields['value']}
          path={`${path}.value`}
          faults={faults}
          onChange={(changed) => onChange(withField(fields, 'value', changed))}
        />
      )}
    </>
  )
}
