import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inlineSnippets } from '../../src/domain/push/snippets.ts'
import { compileTemplate, snippetTagsIn } from '../../src/domain/push/template.ts'
import { SNIPPET_LIMITS, TEMPLATE_LIMITS } from '../../src/rules/templates.ts'

const SNIPPETS = new Map([
  ['hello', 'Hi {{ user.name }}'],
  ['framed', '[{% render "hello" %}]'],
  ['spaced', ' x '],
  ['ping', '{% render "pong" %}'],
  ['pong', 'p{% render "ping" %}'],
  ['self', '{% render "self" %}'],
  ['dangling', '{% render "gone" %}'],
  ['broken', '{% render "hello" %}{% if %}'],
])

function rendered(text: string, snippets = SNIPPETS): string | null {
  const inlined = inlineSnippets('title', text, snippets)
  assert.ok(inlined.ok, text)
  const compiled = compileTemplate('title', inlined.value)
  assert.ok(compiled.ok, inlined.value)
  return compiled.value.render({ user: { name: 'Ada' }, subscription: {}, now: 0 })
}

function refused(text: string, snippets = SNIPPETS): string {
  const inlined = inlineSnippets('title', text, snippets)
  assert.ok(!inlined.ok, text)
  return inlined.rejection.faults[0].message
}

test('a snippet’s text stands in place of its tag, wherever a tag may stand', () => {
  const cases = [
    ['{% render "hello" %}!', 'Hi Ada!'],
    ["{%render 'framed'%}", '[Hi Ada]'],
    ['{% if user.name %}{% render "hello" %}{% else %}{% render "spaced" %}{% endif %}', 'Hi Ada'],
    ['{% unless user.name %}a{% else %}{% render "hello" %}{% endunless %}', 'Hi Ada'],
    ['{% for i in (1..2) %}{% render "hello" %};{% endfor %}', 'Hi Ada;Hi Ada;'],
    ['{% case user.name %}{% when "Ada" %}{% render "hello" %}{% endcase %}', 'Hi Ada'],
    ['{% capture it %}{% render "hello" %}{% endcapture %}<{{ it }}>', '<Hi Ada>'],
    ['1 {%- render "spaced" -%} 2', '1 x 2'],
    ['no Liquid', 'no Liquid'],
  ] as const
  for (const [text, wanted] of cases) assert.equal(rendered(text), wanted, text)
})

test('a tag in raw, in a comment or in a quoted text is no tag', () => {
  assert.equal(rendered('{% raw %}{% render "gone" %}{% endraw %}'), '{% render "gone" %}')
  assert.equal(rendered('a{% comment %}{% render "gone" %}{% endcomment %}b'), 'ab')
  assert.equal(rendered('{{ "{% render" }}'), '{% render')
})

test('a value of the text around it is seen in a snippet', () => {
  const snippets = new Map([['price', '{{ amount }} €']])
  assert.equal(rendered('{% assign amount = 3 %}{% render "price" %}', snippets), '3 €')
})

test('a circle of snippets is refused with its path', () => {
  assert.match(refused('{% render "ping" %}'), /in a circle: "ping" → "pong" → "ping"/)
  assert.match(refused('{% render "self" %}'), /in a circle: "self" → "self"/)
})

test('an unknown snippet is refused at its line, and with the snippet that renders it', () => {
  assert.match(refused('a\n {% render "gone" %}'), /line 2, column 2: there is no snippet "gone"/)
  assert.match(refused('{% render "dangling" %}'), /there is no snippet "dangling" → "gone"/)
})

test('anything but one name in quotes is refused', () => {
  for (const tag of ['render hello', 'render "hello", x: 1', 'render', 'render user.name']) {
    assert.match(refused(`{% ${tag} %}`), /takes the name of a snippet in quotes/, tag)
  }
})

function chain(length: number): Map<string, string> {
  const texts = Array.from({ length }, (_, at) => (at === length - 1 ? 'end' : `{% render "s${at + 1}" %}`))
  return new Map(texts.map((text, at) => [`s${at}`, text]))
}

function many(name: string): string {
  return `{% render "${name}" %}`.repeat(200)
}

test('snippets nest as deep as allowed, and not one deeper', () => {
  assert.equal(rendered('{% render "s0" %}', chain(SNIPPET_LIMITS.depthMax)), 'end')
  assert.match(refused('{% render "s0" %}', chain(SNIPPET_LIMITS.depthMax + 1)), /nested 5 deep at most/)
})

test('a text that its snippets make too long is refused, and snippets that multiply cost little', () => {
  const full = new Map([['long', 'x'.repeat(TEMPLATE_LIMITS.charsMax - 1)]])
  assert.ok(inlineSnippets('title', '{% render "long" %}x', full).ok)
  assert.match(refused('{% render "long" %}xx', full), /with its snippets the text may have at most 4000/)

  const bomb = new Map([
    ['a', many('b')],
    ['b', many('c')],
    ['c', many('d')],
    ['d', many('e')],
    ['e', 'x'],
  ])
  assert.match(refused('{% render "a" %}', bomb), /at most 4000/)
})

test('a snippet that is no Liquid is named with its mistake', () => {
  assert.match(refused('{% render "broken" %}'), /snippet "broken": .* is not valid Liquid/)
})

test('a text longer than a template may be is not searched for snippets', () => {
  const long = `{% render "gone" %}${'x'.repeat(TEMPLATE_LIMITS.charsMax)}`
  const tags = snippetTagsIn('title', long)
  assert.deepEqual(tags.ok && tags.value, [])
})
