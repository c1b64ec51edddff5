import { PLATFORMS, type Platform } from '../../rules/platforms.ts'
import { PUSH_LIMITS } from '../../rules/push.ts'
import { linkFlaw } from '../values/link.ts'
import { cutAtWord, isLonger } from '../values/text.ts'
import type { Content, MessageButton } from './message.ts'
import { compileTemplate, isTemplate, type Template, type TemplateScope } from './template.ts'

/** A content for one person, and how many of its texts had to be cut or left out to be shown. */
type Personal = { readonly content: Content; readonly cuts: number }

/**
 * A stored content with its templates compiled. `personalFor` gives null when a template cannot be rendered.
 * `isPersonal` is false when all recipients get the same content, so that one rendering serves all.
 */
type Personaliser = {
  readonly isPersonal: boolean
  readonly personalFor: (scope: TemplateScope) => Personal | null
}

export function personaliser(content: Content, platform: Platform): Personaliser {
  if (!isPersonal(content)) return { isPersonal: false, personalFor: () => ({ content, cuts: 0 }) }
  const templates = {
    title: compileStored(content.title),
    body: compileStored(content.body),
    url: compileLink(content.url),
    buttons: content.buttons.map(({ title, url }) => ({ title, url: compileLink(url) })),
  }
  return { isPersonal: true, personalFor: (scope) => render({ content, platform, templates }, scope) }
}

type Templates = {
  readonly title: Template
  readonly body: Template
  readonly url: Template | null
  readonly buttons: readonly { readonly title: string; readonly url: Template | null }[]
}

type Stored = { readonly content: Content; readonly platform: Platform; readonly templates: Templates }

/** Whether any text of the content is rendered for each person. */
export function isPersonal({ title, body, url, buttons }: Content): boolean {
  const links = [url, ...buttons.map((button) => button.url)]
  return isTemplate(title) || isTemplate(body) || links.some((link) => link !== null && isTemplate(link))
}

/** A template is checked before it is stored, so one that does not compile here is our mistake. */
function compileStored(text: string): Template {
  const template = compileTemplate('template', text)
  if (!template.ok) throw new Error('a stored template does not compile')
  return template.value
}

function compileLink(url: string | null): Template | null {
  return url === null ? null : compileStored(url)
}

function render({ content, platform, templates }: Stored, scope: TemplateScope): Personal | null {
  const { titleCharsMax, messageCharsMax, allowsAppScheme } = PLATFORMS[platform]
  const title = renderText(templates.title, scope, titleCharsMax)
  const body = renderText(templates.body, scope, messageCharsMax)
  if (title === null || body === null) return null

  const url = renderLink(templates.url, scope, allowsAppScheme)
  const buttons = templates.buttons.map((button) => ({
    title: button.title,
    link: renderLink(button.url, scope, allowsAppScheme),
  }))
  const cuts = [title, body, url, ...buttons.map(({ link }) => link)].filter(({ isCut }) => isCut).length
  return {
    content: {
      ...content,
      title: title.text,
      body: body.text,
      url: url.text,
      buttons: buttons.map(({ title: text, link }): MessageButton => ({ title: text, url: link.text })),
    },
    cuts,
  }
}

function renderText(template: Template, scope: TemplateScope, charsMax: number | null) {
  const rendered = template.render(scope)
  if (rendered === null) return null
  // A filter that slices counts UTF-16 units and may leave half a character behind.
  const text = rendered.toWellFormed()
  if (charsMax === null || !isLonger(text, charsMax)) return { text, isCut: false }
  return { text: cutAtWord(text, charsMax), isCut: true }
}

/** A rendered link is checked like a caller's link. A bad one is left out. */
function renderLink(template: Template | null, scope: TemplateScope, allowsAppScheme: boolean) {
  if (template === null) return { text: null, isCut: false }
  const text = template.render(scope)?.trim() ?? ''
  const isGood = linkFlaw(text, { allowsAppScheme }) === null && !isLonger(text, PUSH_LIMITS.linkCharsMax)
  return isGood ? { text, isCut: false } : { text: null, isCut: true }
}
