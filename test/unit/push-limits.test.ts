import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FieldRule } from '../../src/http/fields/fields.ts'
import { pushRules } from '../../src/http/push/field-rules.ts'
import type { Shape } from '../../src/rules/fields.ts'
import { faultsOf, PUSH_ADDRESSES } from '../support/push/push.ts'

type Edge = { readonly good: unknown; readonly bad: unknown; readonly code: string }

/** The last value a shape takes and the first it does not, read from the rules. */
function edgesOf(shape: Shape): readonly Edge[] {
  switch (shape.type) {
    case 'text':
      return textEdges(shape.charsMax)
    case 'template':
      return shape.charsMax === null ? [] : textEdges(shape.charsMax)
    case 'link':
    case 'https_url':
      return [{ good: link(shape.charsMax), bad: link(shape.charsMax + 1), code: 'field_too_long' }]
    case 'integer':
      return [
        { good: shape.min, bad: shape.min - 1n, code: 'field_out_of_range' },
        { good: String(shape.max), bad: String(shape.max + 1n), code: 'field_out_of_range' },
      ]
    case 'strings':
      return [
        { good: keys(shape.keysMax, 'k'), bad: keys(shape.keysMax + 1, 'k'), code: 'field_too_long' },
        {
          good: { ['k'.repeat(shape.keyCharsMax)]: 'v' },
          bad: { ['k'.repeat(shape.keyCharsMax + 1)]: 'v' },
          code: 'field_invalid',
        },
      ]
    case 'number':
      return [
        { good: shape.min, bad: shape.min - 0.001, code: 'field_out_of_range' },
        { good: shape.max, bad: shape.max + 0.001, code: 'field_out_of_range' },
      ]
    case 'boolean':
    case 'choice':
    case 'date':
    case 'clock':
    case 'zone':
    case 'language':
    case 'list':
    case 'object':
    case 'objects':
      return []
    default:
      throw new Error(`no edges for ${JSON.stringify(shape satisfies never)}`)
  }
}

/** One unit of each: plain, two UTF-16 units, and a letter with its combining mark as two characters. */
function textEdges(charsMax: number): readonly Edge[] {
  return ['a', '😀', 'é', '\u0301'].map((char) => ({
    good: char.repeat(charsMax),
    bad: char.repeat(charsMax + 1),
    code: 'field_too_long',
  }))
}

function link(chars: number): string {
  const start = 'https://a.example/'
  return start + 'x'.repeat(chars - start.length)
}

function keys(count: number, prefix: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}${at}`, 'v']))
}

/** A button's address needs the button's text beside it, and the version of a template the template. */
const BESIDE: Readonly<Record<string, object>> = {
  button_one_url: { button_one_title: 'One' },
  button_two_url: { button_two_title: 'Two' },
  template_version: { template_id: 1 },
}

function isRead({ use }: FieldRule): boolean {
  return use === 'required' || use === 'optional'
}

for (const address of PUSH_ADDRESSES) {
  test(`${address.platform}/${address.mode} takes each field up to its limit and no further`, () => {
    for (const { name, shape } of pushRules(address).rows.filter(isRead)) {
      for (const { good, bad, code } of edgesOf(shape)) {
        const beside = BESIDE[name] ?? {}
        assert.deepEqual(faultsOf(address, { ...beside, [name]: good }), [], name)
        assert.deepEqual(faultsOf(address, { ...beside, [name]: bad }), [`${name}:${code}`], name)
      }
    }
  })

  test(`${address.platform}/${address.mode} refuses NUL and half surrogates in every text`, () => {
    const texts = pushRules(address).rows.filter(
      (rule) => isRead(rule) && (rule.shape.type === 'text' || rule.shape.type === 'template'),
    )
    for (const { name } of texts) {
      for (const poison of ['a\u0000', '\ud800', 'x\udc00y']) {
        assert.deepEqual(faultsOf(address, { [name]: poison }), [`${name}:field_invalid`])
      }
      assert.deepEqual(faultsOf(address, { [name]: '' }), [`${name}:field_empty`])
      assert.deepEqual(faultsOf(address, { [name]: 5 }), [`${name}:field_type`])
    }
  })
}
