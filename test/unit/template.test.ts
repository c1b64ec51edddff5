import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileTemplate } from '../../src/domain/push/template.ts'
import { TEMPLATE_LIMITS } from '../../src/rules/templates.ts'

const SCOPE = {
  user: {
    first_name: 'Ada',
    visits: 3,
    id: 9_007_199_254_740_993n,
    items: ['tea', 'salt'],
    home: { city: 'Rome' },
  },
  subscription: { language: 'it' },
  now: Date.parse('2026-05-05T10:11:12Z'),
}

function rendered(text: string): string | null {
  const template = compileTemplate('title', text)
  assert.ok(template.ok, text)
  return template.value.render(SCOPE)
}

function isTooCostly(text: string): boolean {
  const template = compileTemplate('title', text)
  assert.ok(template.ok, text)
  return template.value.isTooCostly(SCOPE)
}

function refused(text: string): string {
  const template = compileTemplate('title', text)
  assert.ok(!template.ok, text)
  assert.equal(template.rejection.faults[0].code, 'template_invalid')
  return template.rejection.faults[0].message
}

test('what is known of a person is filled in, and a default stands for what is not', () => {
  assert.equal(rendered('Hi {{ user.first_name | default: "there" }}'), 'Hi Ada')
  assert.equal(rendered('Hi {{ user.nickname | default: "there" }}'), 'Hi there')
  assert.equal(rendered('{{ subscription.language }}/{{ user.home.city }}'), 'it/Rome')
})

test('numbers keep their digits, lists are joined, objects are shown as JSON', () => {
  assert.equal(
    rendered('{{ user.id }} {{ user.items }} {{ user.home }}'),
    '9007199254740993 teasalt {"city":"Rome"}',
  )
})

test('a text without Liquid is itself, also with braces and percent signs', () => {
  assert.equal(rendered('50% off { today }'), '50% off { today }')
})

test('now is the moment of the rendering, not of the machine', () => {
  assert.equal(
    rendered('{{ "now" | date: "%Y-%m-%d" }} {{ now | date: "%H:%M", "Asia/Kolkata" }}'),
    '2026-05-05 15:41',
  )
})

test('a mistake is named with its line and column', () => {
  assert.match(refused('Hi\n  {{ user.x | shout }}'), /line 2, column 3: undefined filter: shout/)
  assert.match(refused('{{ user.first_name'), /line 1, column 1/)
  assert.match(refused('{% if user.x %}never closed'), /not closed/)
  assert.match(refused('{{ }}'), /line 1, column 4/)
})

test('no template reads a file, rolls dice or compiles text', () => {
  for (const text of [
    '{% include "a" %}',
    '{% render "a" %}',
    '{% layout "a" %}',
    '{{ user.items | sample }}',
  ]) {
    refused(text)
  }
  refused('{{ user.items | where_exp: "i", "true" }}')
})

test('nothing of JavaScript shows through', () => {
  assert.equal(rendered('{{ user.constructor }}{{ user.__proto__ }}{{ user.items.map }}'), '')
})

test('a template that would run away is stopped', () => {
  const runaways = [
    '{% for i in (1..1000000000) %}x{% endfor %}',
    '{% for i in (1..300) %}{% for j in (1..300) %}x{% endfor %}{% endfor %}',
    `{% assign a = "0123456789" %}${'{% capture a %}{{ a }}{{ a }}{% endcapture %}'.repeat(40)}{{ a }}`,
    `{% assign a = "0123456789" %}${'{% assign a = a | append: a %}'.repeat(40)}{{ a }}`,
  ]
  for (const text of runaways) assert.equal(rendered(text), null, text.slice(0, 60))
})

test('too much work is told from a filter that cannot do what it is asked', () => {
  assert.equal(isTooCostly('{% for i in (1..1000000000) %}x{% endfor %}'), true)
  assert.equal(isTooCostly('{% for i in (1..100) %}x{% endfor %}'), false)
  const impossible = '{{ "now" | date: "%s", "Nowhere/At-All" }}'
  assert.equal(rendered(impossible), null)
  assert.equal(isTooCostly(impossible), false)
})

test('a loop of a sensible size is no runaway', () => {
  assert.equal(rendered('{% for i in user.items %}{{ i }},{% endfor %}'), 'tea,salt,')
  assert.equal(rendered('{% for i in (1..100) %}x{% endfor %}'), 'x'.repeat(100))
})

test('a template may be as long as its limit and not longer', () => {
  const tag = '{{ user.visits }}'
  const longest = tag + 'x'.repeat(TEMPLATE_LIMITS.charsMax - tag.length)
  assert.ok(compileTemplate('title', longest).ok)
  refused(`${longest}x`)
})

test('`now` and `today` are the instant of the rendering, and any other date is itself', () => {
  assert.equal(rendered('{{ "now" | date: "%Y-%m-%d" }}'), '2026-05-05')
  assert.equal(rendered('{{ "today" | date: "%Y-%m-%d" }}'), '2026-05-05')
  assert.equal(rendered('{{ "2020-02-03" | date: "%Y-%m-%d" }}'), '2020-02-03')
})

test('a text without Liquid may be longer than a template', () => {
  const long = 'x'.repeat(TEMPLATE_LIMITS.charsMax + 1)
  assert.equal(rendered(long), long)
})
