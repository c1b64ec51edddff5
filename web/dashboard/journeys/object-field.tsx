import { use } from 'react'
import type { DocumentShape } from '../../../src/rules/documents.ts'
import { fieldsOf, withField } from './draft.ts'
import { FieldContext, type FieldProps } from './field-props.ts'

/** Ways are led on the canvas and in the list of ways, so no form has them. */
const WAYS: readonly string[] = ['next', 'yes', 'no']

type ObjectShape = Extract<DocumentShape, { type: 'object' }>

export function ObjectField({ shape, value, onChange, path, faults }: FieldProps<ObjectShape>) {
  const Field = use(FieldContext)
  const fields = fieldsOf(value)
  return (
    <>
      {Object.entries(shape.keys)
        .filter(([key]) => !WAYS.includes(key))
        .map(([key, { shape: inner, use: need }]) => (
          <Field
            key={key}
            shape={inner}
            name={key}
            value={fields[key]}
            path={path === '' ? key : `${path}.${key}`}
            faults={faults}
            onChange={(changed) => {
              const isLeftOut = changed === '' && need !== 'required'
              onChange(withField(fields, key, isLeftOut ? undefined : changed))
            }}
          />
        ))}
    </>
  )
}
