import type { FieldLine } from './fields.ts'
import { type Html, html, prose } from './html.ts'
import { DOCUMENT_SCHEMAS } from './openapi-components.ts'

/** The fields of a body, a query or a reply. Behind the first few the rest is folded. */
export function renderFields(title: string, lines: readonly FieldLine[]): Html {
  if (lines.length === 0) return html``
  const isShort = lines.length <= SHOWN_MAX + FOLDED_MIN
  const shown = isShort ? lines : lines.slice(0, SHOWN_MAX)
  const folded = isShort ? [] : lines.slice(SHOWN_MAX)
  const more = html`<details><summary>${folded.length} more fields</summary>${renderList(folded)}</details>`
  return html`<h3>${title}</h3>${renderList(shown)}${folded.length === 0 ? '' : more}`
}

const SHOWN_MAX = 8
const FOLDED_MIN = 3

/** All of them, folded as a whole. */
export function renderFoldedFields(title: string, lines: readonly FieldLine[]): Html {
  if (lines.length === 0) return html``
  return html`<details class="fold"><summary>${title}</summary>${renderList(lines)}</details>`
}

function renderList(lines: readonly FieldLine[]): Html {
  return html`<dl class="fields">${lines.map(renderLine)}</dl>`
}

function renderLine({ name, type, isRequired, about }: FieldLine): Html {
  const need = isRequired ? html` <span class="need">required</span>` : ''
  const words = about === '' ? '' : html`<dd>${prose(about)}</dd>`
  return html`<div><dt><code>${name}</code> <span class="type">${typeLinks(type)}</span>${need}</dt>${words}</div>`
}

/** The words of a type, where the name of a document leads to its table. */
function typeLinks(type: string): readonly Html[] {
  return type
    .split(/\b/)
    .map((word) =>
      DOCUMENT_NAMES.has(word)
        ? html`<a href="/docs/api/documents#document-${word}">${word}</a>`
        : html`${word}`,
    )
}

const DOCUMENT_NAMES = new Set(Object.keys(DOCUMENT_SCHEMAS))
