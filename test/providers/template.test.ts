import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assert as check, dictionary, property, string } from 'fast-check'
import { fillTemplate, makeTemplate, slot } from '../../src/providers/payload-template.ts'

const text = () => string({ unit: 'binary', maxLength: 60 })

test('a filled template is the JSON of the filled value, whatever the texts', () => {
  check(
    property(dictionary(text(), text()), text(), text(), (data, deliveryId, collapseId) => {
      const template = makeTemplate({
        data,
        a: slot('deliveryId'),
        b: [slot('collapseId'), slot('deliveryId')],
      })
      const filled = fillTemplate(template, { deliveryId, collapseId, receipt: '', address: '' })
      assert.equal(filled, JSON.stringify({ data, a: deliveryId, b: [collapseId, deliveryId] }))
    }),
  )
})

test('a text that a recipient brings is never taken for a slot', () => {
  const template = makeTemplate({ a: slot('deliveryId'), b: slot('receipt') })
  const filled = fillTemplate(template, {
    deliveryId: slot('receipt'),
    receipt: 'secret',
    collapseId: '',
    address: '',
  })
  assert.equal(filled, JSON.stringify({ a: slot('receipt'), b: 'secret' }))
})
