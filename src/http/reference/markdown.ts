import { lexer, type MarkedToken, type Token, type Tokens } from 'marked'
import { type Html, html } from './html.ts'
import { OWN_ADDRESS } from './own-address.ts'

/** A guide as the page and the search need it. */
export type Article = {
  readonly title: string
  readonly body: Html
  readonly sections: readonly ArticleSection[]
}

/** The part below one heading, as plain text. The first section stands above all headings and has no id. */
export type ArticleSection = {
  readonly id: string | null
  readonly heading: string
  readonly depth: number
  readonly text: string
}

/** The addresses on the site: of a link in a guide, and of words that are set as code. Null where there is none. */
export type GuideLinks = {
  readonly ofFile: (href: string) => string | null
  readonly ofCode: (code: string) => string | null
  /** The name of the page that a link leads to. */
  readonly labelOf: (href: string) => string | null
}

/** Renders Markdown. The library only reads it: every piece of markup is made here, so raw HTML comes out as text. */
export function renderMarkdown(text: string, links: GuideLinks): Article {
  const tokens = lexer(text)
    .filter(isKnown)
    .filter((token) => !isGallery(token))
  const [first, ...rest] = tokens.filter(({ type }) => type !== 'space')
  const title = first?.type === 'heading' && first.depth === 1 ? plainText(first.tokens) : ''
  const shown = title === '' ? tokens : rest
  return {
    title,
    body: html`${shown.map((token) => renderBlock(token, links))}`,
    sections: sectionsOf(title, shown),
  }
}

/** A table of pictures of the dashboard serves readers on GitHub; here the dashboard itself is one click away. */
function isGallery(token: MarkedToken): boolean {
  return (
    token.type === 'table' &&
    token.rows.flat().every(({ tokens }) => tokens.length > 0 && tokens.every(({ type }) => type === 'image'))
  )
}

/** The id of a heading, as GitHub makes it, so that links between the guides work in both places. */
function headingId(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .trim()
    .replaceAll(/\s/g, '-')
}

function renderBlock(token: MarkedToken, links: GuideLinks): Html {
  if (token.type === 'heading') return renderHeading(token, links)
  if (token.type === 'paragraph') return html`<p>${renderInline(token.tokens, links)}</p>`
  if (token.type === 'code') return renderCode(token.text, token.lang ?? '')
  if (token.type === 'list') return renderList(token, links)
  if (token.type === 'table') return renderTable(token, links)
  if (token.type === 'blockquote')
    return html`<blockquote>${token.tokens.filter(isKnown).map((inner) => renderBlock(inner, links))}</blockquote>`
  if (token.type === 'hr') return html`<hr>`
  if (token.type === 'space') return html``
  return renderPiece(token, links)
}

function renderHeading({ depth, tokens }: Tokens.Heading, links: GuideLinks): Html {
  const id = headingId(plainText(tokens))
  const words = renderInline(tokens, { ...links, ofCode: () => null })
  const inner = html`<a class="anchor" href="#${id}">${words}</a>`
  if (depth <= 2) return html`<h2 id="${id}">${inner}</h2>`
  return depth === 3 ? html`<h3 id="${id}">${inner}</h3>` : html`<h4 id="${id}">${inner}</h4>`
}

/** A block of code with its copy button. Lines to type are wrapped, because they are long; programs scroll. */
export function renderCode(code: string, language: string): Html {
  const text = code.replaceAll(README_ADDRESS, OWN_ADDRESS)
  const pre = WRAPPED.has(language)
    ? html`<pre class="wrap"><code>${text}</code></pre>`
    : html`<pre tabindex="0"><code>${text}</code></pre>`
  return html`<div class="code">${pre}<button class="copy" type="button">Copy</button></div>`
}

const README_ADDRESS = 'http://127.0.0.1:8080'
const WRAPPED = new Set(['sh', 'json'])

function renderList({ ordered, start, items }: Tokens.List, links: GuideLinks): Html {
  const rows = items.map(({ tokens }) => {
    const known = tokens.filter(isKnown)
    return html`<li>${known.map((token) => renderBlock(token, links))}</li>`
  })
  return ordered ? html`<ol start="${Number(start)}">${rows}</ol>` : html`<ul>${rows}</ul>`
}

/** A table without words in its head, as Markdown asks for one, has no head. */
function renderTable({ header, rows }: Tokens.Table, links: GuideLinks): Html {
  const heads = header.map(({ tokens }) => html`<th scope="col">${renderInline(tokens, links)}</th>`)
  const isNamed = header.every(({ text }) => text !== '')
  const lines = rows.map(
    (cells) => html`<tr>${cells.map(({ tokens }) => html`<td>${renderInline(tokens, links)}</td>`)}</tr>`,
  )
  const head = isNamed ? html`<thead><tr>${heads}</tr></thead>` : ''
  return html`<div class="table"><table>${head}<tbody>${lines}</tbody></table></div>`
}

function renderInline(tokens: readonly Token[], links: GuideLinks): Html {
  return html`${tokens.filter(isKnown).map((token) => renderPiece(token, links))}`
}

function renderPiece(token: MarkedToken, links: GuideLinks): Html {
  if (token.type === 'strong') return html`<strong>${renderInline(token.tokens, links)}</strong>`
  if (token.type === 'em') return html`<em>${renderInline(token.tokens, links)}</em>`
  if (token.type === 'del') return html`<del>${renderInline(token.tokens, links)}</del>`
  if (token.type === 'codespan') return renderCodeSpan(token.text, links)
  if (token.type === 'link') return renderLink(token, links)
  if (token.type === 'br') return html`<br>`
  if (token.type === 'text')
    return token.tokens === undefined ? html`${token.text}` : renderInline(token.tokens, links)
  if (token.type === 'escape') return html`${token.text}`
  return html`${token.raw}`
}

function renderCodeSpan(text: string, links: GuideLinks): Html {
  // A long path breaks after a slash, if it must.
  const parts = text.replaceAll(README_ADDRESS, OWN_ADDRESS).split(/(?<=\w\/)(?=\w)/)
  const code = html`<code>${parts.map((part, index) => (index === 0 ? html`${part}` : html`<wbr>${part}`))}</code>`
  const href = links.ofCode(text)
  return href === null ? code : html`<a href="${href}">${code}</a>`
}

/** A link whose words are the name of a file shows the name of its page; one to a file that is not shown is its words alone. */
function renderLink({ href, text, tokens }: Tokens.Link, links: GuideLinks): Html {
  const label = /^README$|\.md$/.test(text) ? links.labelOf(href) : null
  const words = label === null ? renderInline(tokens, { ...links, ofCode: () => null }) : html`${label}`
  if (href === README_ADDRESS) return html`<a href="/">${OWN_ADDRESS}</a>`
  const address = /^https?:\/\/|^#/.test(href) ? href : links.ofFile(href)
  return address === null ? words : html`<a href="${address}">${words}</a>`
}

function sectionsOf(title: string, tokens: readonly MarkedToken[]): readonly ArticleSection[] {
  const sections: ArticleSection[] = []
  let current: ArticleSection = { id: null, heading: title, depth: 1, text: '' }
  for (const token of tokens) {
    if (token.type === 'heading') {
      sections.push(current)
      const heading = plainText(token.tokens)
      current = { id: headingId(heading), heading, depth: token.depth, text: '' }
    } else {
      current = { ...current, text: `${current.text} ${plainText([token])}`.trim() }
    }
  }
  return [...sections, current]
}

/** The words of a text without its markup. */
function plainText(tokens: readonly Token[]): string {
  return tokens.filter(isKnown).map(wordsOf).join('').replaceAll(/\s+/g, ' ').trimEnd()
}

function wordsOf(token: MarkedToken): string {
  if (token.type === 'list') return token.items.map(({ tokens }) => ` ${plainText(tokens)}`).join('')
  if (token.type === 'table') {
    return [token.header, ...token.rows]
      .flat()
      .map(({ tokens }) => ` ${plainText(tokens)}`)
      .join('')
  }
  if (token.type === 'space' || token.type === 'br') return ' '
  return 'tokens' in token && token.tokens !== undefined ? joined(token.tokens) : textOf(token)
}

function joined(tokens: readonly Token[]): string {
  return tokens.filter(isKnown).map(wordsOf).join('')
}

function textOf(token: MarkedToken): string {
  return 'text' in token ? token.text : ''
}

/** The library lets extensions add kinds of their own; there are none here. */
function isKnown(token: Token): token is MarkedToken {
  return KINDS.has(token.type)
}

const KINDS: ReadonlySet<string> = new Set([
  'blockquote',
  'br',
  'checkbox',
  'code',
  'codespan',
  'def',
  'del',
  'em',
  'escape',
  'heading',
  'hr',
  'html',
  'image',
  'link',
  'list',
  'paragraph',
  'space',
  'strong',
  'table',
  'text',
])
