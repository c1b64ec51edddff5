import { ERRORS } from '../../rules/errors.ts'
import type { Route } from '../route.ts'
import { renderBasics, renderDocuments, renderErrors, renderGroup, statusWords } from './api-pages.ts'
import { BASICS } from './basics.ts'
import { fieldLines } from './fields.ts'
import { type Group, groupsOf } from './groups.ts'
import { GUIDE_SECTIONS } from './guide-list.ts'
import { ERRORS_PATH, guideLabel, guidePath } from './guide-prose.ts'
import { html } from './html.ts'
import { type Article, type GuideLinks, renderMarkdown } from './markdown.ts'
import { operationId } from './openapi.ts'
import { DOCUMENT_SCHEMAS } from './openapi-components.ts'
import type { PageContent, SearchEntry, SitePage } from './site-page.ts'

/** The texts of the guides, by name. */
export type GuideTexts = ReadonlyMap<string, string>

/** Every page of the site but the start, in the order of the contents. */
export function pagesOf(endpoints: readonly Route[], texts: GuideTexts): readonly SitePage[] {
  const links = endpointLinks(endpoints)
  return [...guidePages(texts, links), ...apiPages(endpoints)]
}

function guidePages(texts: GuideTexts, ofCode: GuideLinks['ofCode']): readonly SitePage[] {
  return GUIDE_SECTIONS.flatMap(({ title: section, guides }) =>
    guides.flatMap(({ name, file, label, about }) => {
      const text = texts.get(name)
      if (text === undefined) return []
      const path = `/docs/guides/${name}`
      const links = { ...linksFrom(file), ofCode }
      const content = (): PageContent => guideContent(renderMarkdown(text, links))
      const finds = (): readonly SearchEntry[] => guideFinds({ path, label }, renderMarkdown(text, links))
      return [{ path, part: 'guides', section, label, title: label, about, content, finds }] as const
    }),
  )
}

/** A link in a guide names a file from the folder of the guide. */
function linksFrom(file: string): Pick<GuideLinks, 'ofFile' | 'labelOf'> {
  const target = (href: string): URL => new URL(href, `file:///${file}`)
  return {
    labelOf: (href) => guideLabel(target(href).pathname.slice(1)),
    ofFile: (href) => {
      const { pathname, hash } = target(href)
      const path = guidePath(pathname.slice(1))
      return path === null ? null : `${path}${hash}`
    },
  }
}

function guideContent({ title, body, sections }: Article): PageContent {
  return {
    layout: 'text',
    body: html`<h1>${title}</h1>${body}`,
    outline: sections.flatMap(({ id, heading, depth }) => (id === null ? [] : [{ id, heading, depth }])),
  }
}

type Guide = { readonly path: string; readonly label: string }

function guideFinds({ path, label }: Guide, { sections }: Article): readonly SearchEntry[] {
  return sections.map(({ id, heading, text }) => ({
    t: heading,
    w: label,
    h: id === null ? path : `${path}#${id}`,
    x: text,
  }))
}

/** Words in a guide that are the address of an endpoint, such as `GET /api/v1/explain`, lead to its description. */
function endpointLinks(endpoints: readonly Route[]): GuideLinks['ofCode'] {
  const rows = groupsOf(endpoints).flatMap(({ path, routes }) =>
    routes.map((route) => [`${route.method} ${route.path}`, `${path}#${operationId(route)}`] as const),
  )
  const known = new Map<string, string>([...OWN_PAGES, ...rows])
  return (code) => known.get(code) ?? null
}

const OWN_PAGES = [
  ['/docs', '/docs'],
  ['/demo', '/demo'],
  ['/openapi.json', '/openapi.json'],
] as const

function apiPages(endpoints: readonly Route[]): readonly SitePage[] {
  const api = { part: 'api' } as const
  const groups = groupsOf(endpoints)
  const sections = [...new Set(groups.map(({ section }) => section))]
  return [
    {
      ...api,
      path: '/docs/api/basics',
      section: 'Begin',
      label: 'Basics',
      title: 'Basics of the API',
      about: 'Keys, replies, lists, limits.',
      content: basicsContent,
      finds: basicsFinds,
    },
    ...sections.flatMap((section) => groups.filter((group) => group.section === section)).map(groupPage),
    {
      ...api,
      path: '/docs/api/documents',
      section: 'Reference',
      label: 'Documents',
      title: 'Documents',
      about: 'Filters, journeys and campaigns, key by key.',
      content: documentsContent,
      finds: documentsFinds,
    },
    {
      ...api,
      path: ERRORS_PATH,
      section: 'Reference',
      label: 'Errors',
      title: 'Errors',
      about: 'Every code, with its sentence.',
      content: errorsContent,
      finds: errorsFinds,
    },
  ]
}

function groupPage(group: Group): SitePage {
  const { name, path, section, about } = group
  return {
    part: 'api',
    path,
    section,
    label: name,
    title: `${name} API`,
    about,
    content: () => ({ layout: 'endpoints', body: renderGroup(group), outline: [] }),
    finds: () => groupFinds(group),
  }
}

function groupFinds({ name, path, about, routes }: Group): readonly SearchEntry[] {
  const endpoints = routes.map((route) => ({
    t: route.summary,
    w: `${route.method} ${route.path}`,
    h: `${path}#${operationId(route)}`,
    x: [route.description ?? '', ...namesIn(route)].join(' '),
  }))
  return [{ t: name, w: 'API', h: path, x: about }, ...endpoints]
}

function namesIn({ bodySchema, querySchema, reply }: Route): readonly string[] {
  const lines = [querySchema, bodySchema, reply].flatMap((schema) => fieldLines(schema))
  return [...new Set(lines.map(({ name }) => name))]
}

function basicsContent(): PageContent {
  const outline = BASICS.map(({ id, title }) => ({ id, heading: title, depth: 2 }))
  return { layout: 'text', body: renderBasics(), outline }
}

function basicsFinds(): readonly SearchEntry[] {
  return BASICS.map(({ id, title }) => ({ t: title, w: 'API basics', h: `/docs/api/basics#${id}`, x: '' }))
}

function documentsContent(): PageContent {
  const names = Object.keys(DOCUMENT_SCHEMAS)
  const outline = names.map((name) => ({ id: `document-${name}`, heading: name, depth: 2 }))
  return { layout: 'text', body: renderDocuments(), outline }
}

function documentsFinds(): readonly SearchEntry[] {
  return Object.entries(DOCUMENT_SCHEMAS).map(([name, schema]) => ({
    t: name,
    w: 'Documents',
    h: `/docs/api/documents#document-${name}`,
    x: String(schema['description']),
  }))
}

function errorsContent(): PageContent {
  const statuses = [...new Set(Object.values(ERRORS).map(({ status }) => status))]
  const outline = statuses
    .toSorted((one, other) => one - other)
    .map((status) => ({ id: `status-${status}`, heading: statusWords(status), depth: 2 }))
  return { layout: 'text', body: renderErrors(), outline }
}

function errorsFinds(): readonly SearchEntry[] {
  return Object.entries(ERRORS).map(([code, { status, message }]) => ({
    t: code,
    w: `Error ${status}`,
    h: `${ERRORS_PATH}#error-${code}`,
    x: message,
  }))
}
