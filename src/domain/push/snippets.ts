import { SNIPPET_LIMITS, TEMPLATE_LIMITS } from '../../rules/templates.ts'
import { fault } from '../fault.ts'
import { accept, type Result, reject } from '../result.ts'
import { isLonger } from '../values/text.ts'
import { type SnippetTag, snippetTagsIn } from './template.ts'

/** The texts of snippets by name, as they were written. */
export type SnippetTexts = ReadonlyMap<string, string>

/**
 * A text with the texts of its snippets in place of their tags, so that nothing is looked up when it is rendered. Every
 * snippet is put together once, however often it is rendered, so the work is bounded by the number of snippets.
 */
export function inlineSnippets(field: string, text: string, snippets: SnippetTexts): Result<string> {
  const tags = snippetTagsIn(field, text)
  if (!tags.ok) return tags
  if (tags.value.length === 0) return accept(text)
  const inlining = { snippets, done: new Map<string, Inlined>() }
  const pieces: Piece[] = []
  for (const tag of tags.value) {
    const inlined = inlineSnippet(inlining, tag.name, [])
    if ('detail' in inlined) return reject(flawAt(field, tag, inlined.detail))
    pieces.push({ tag, text: inlined.text })
  }
  const whole = joined(text, pieces)
  const [first] = tags.value
  return first !== undefined && isLonger(whole, TEMPLATE_LIMITS.charsMax)
    ? reject(flawAt(field, first, TOO_LONG))
    : accept(whole)
}

type Piece = { readonly tag: SnippetTag; readonly text: string }

/** The whole text of a snippet, or why there is none. */
type Inlined = { readonly text: string } | { readonly detail: string }

type Inlining = { readonly snippets: SnippetTexts; readonly done: Map<string, Inlined> }

/** `path` are the snippets that are being put together, the outermost first. */
function inlineSnippet(inlining: Inlining, name: string, path: readonly string[]): Inlined {
  const known = inlining.done.get(name)
  if (known !== undefined) return known
  const inlined = inlineNew(inlining, name, path)
  // The same snippet may be nested too deep in one place and not in another, so a flaw is not remembered.
  if ('text' in inlined) inlining.done.set(name, inlined)
  return inlined
}

function inlineNew(inlining: Inlining, name: string, path: readonly string[]): Inlined {
  const way = [...path, name]
  const shown = way.map((one) => `"${one}"`).join(' → ')
  if (path.includes(name)) return { detail: `snippets render each other in a circle: ${shown}` }
  if (way.length > SNIPPET_LIMITS.depthMax) {
    return { detail: `snippets may be nested ${SNIPPET_LIMITS.depthMax} deep at most: ${shown}` }
  }
  const text = inlining.snippets.get(name)
  if (text === undefined) return { detail: `there is no snippet ${shown}` }
  const tags = snippetTagsIn(name, text)
  if (!tags.ok) return { detail: `snippet ${shown}: ${tags.rejection.faults[0].message}` }
  const pieces: Piece[] = []
  for (const tag of tags.value) {
    const inner = inlineSnippet(inlining, tag.name, way)
    if ('detail' in inner) return inner
    pieces.push({ tag, text: inner.text })
  }
  const whole = joined(text, pieces)
  return isLonger(whole, TEMPLATE_LIMITS.charsMax) ? { detail: TOO_LONG } : { text: whole }
}

const TOO_LONG = `with its snippets the text may have at most ${TEMPLATE_LIMITS.charsMax} characters`

/** A tag with a hyphen trims the text around it, and not the snippet: an empty comment trims in its place. */
function joined(text: string, pieces: readonly Piece[]): string {
  let whole = ''
  let from = 0
  for (const { tag, text: inner } of pieces) {
    const before = tag.trimsLeft ? '{%- # %}' : ''
    const after = tag.trimsRight ? '{% # -%}' : ''
    whole += text.slice(from, tag.begin) + before + inner + after
    from = tag.end
  }
  return whole + text.slice(from)
}

function flawAt(field: string, { line, column }: SnippetTag, detail: string) {
  return fault('template_invalid', field, { line, column, detail })
}
