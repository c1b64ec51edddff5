import { GUIDE_SECTIONS } from './guide-list.ts'
import { type Html, html, prose } from './html.ts'

/** A text of the code, in which the name of a guide's file is a link to the guide. */
export function guideProse(text: string): Html {
  const pieces = text.split(/(docs\/[\w-]+\.md)/).map((piece) => {
    const href = guidePath(piece)
    return href === null ? prose(piece) : html`<a href="${href}">${guideLabel(piece) ?? piece}</a>`
  })
  return html`${pieces}`
}

/** The address of the page that shows a file of the project; null for a file that the site does not show. */
export function guidePath(file: string): string | null {
  return PATHS.get(file) ?? null
}

/** The name of that page, as a part of a sentence. */
export function guideLabel(file: string): string | null {
  return LABELS.get(file) ?? null
}

/** The page of all errors is made from the table of errors; it is what docs/errors.md says. */
export const ERRORS_PATH = '/docs/api/errors'

const rows = GUIDE_SECTIONS.flatMap(({ guides }) => guides)

const PATHS: ReadonlyMap<string, string> = new Map([
  ...rows.map(({ file, name }) => [file, `/docs/guides/${name}`] as const),
  ['docs/errors.md', ERRORS_PATH],
])

const LABELS: ReadonlyMap<string, string> = new Map([
  ...rows.map(({ file, label }) => [file, `“${label}”`] as const),
  ['README.md', 'guide “First steps”'],
  ['docs/errors.md', '“Errors”'],
])
