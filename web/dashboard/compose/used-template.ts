import type { Campaign } from '../../client/api/campaigns.ts'
import type { CampaignContent } from '../../client/api/documents.ts'
import type { Template, Version } from '../../client/api/templates.ts'
import { useRead } from '../kit/queries.ts'

export type Languages = Readonly<Record<string, CampaignContent>>

/** The template that fills in the fields which a message does not say itself. */
export type UsedTemplate = {
  readonly id: number | bigint
  readonly name: string
  /** The version whose words are on the page. */
  readonly version: number
  /** Whether the message stays with this version. If not, it follows the newest until it is sent. */
  readonly isPinned: boolean
  readonly newest: number
  readonly isArchived: boolean
  readonly content: CampaignContent
  readonly languages: Languages
}

export const NO_CONTENT: CampaignContent = {}

/** The name of a template, as an address or a stored campaign has it; `version` is null for the newest. */
export type TemplateName = { readonly id: string; readonly version: string | null }

/** The template of a whole campaign; a variant may have one of its own. */
export function templateIn(campaign: Pick<Campaign, 'content'> | null | undefined): TemplateName | null {
  const { template_id: id, template_version: version } = campaign?.content ?? {}
  return id === undefined ? null : { id: String(id), version: version === undefined ? null : String(version) }
}

type Found = {
  readonly template: UsedTemplate | null
  readonly error: Error | null
  readonly isReady: boolean
}

/** The template that a message is made with; null for none. */
export function useUsedTemplate(named: TemplateName | null): Found {
  const path = { template_id: named?.id ?? '', version: named?.version ?? '' }
  const hasVersion = named !== null && named.version !== null
  const newest = useRead('GET /api/v1/templates/{template_id}', { path }, { isEnabled: named !== null })
  const older = useRead(
    'GET /api/v1/templates/{template_id}/versions/{version}',
    { path },
    { isEnabled: hasVersion },
  )
  if (named === null) return { template: null, error: null, isReady: true }
  const template = newest.data?.template
  const error = newest.error ?? older.error
  if (template === undefined || (hasVersion && older.data === undefined)) {
    return { template: null, error, isReady: false }
  }
  const words = older.data?.version ?? template
  return { template: usedOf({ template, words, isPinned: hasVersion }), error, isReady: true }
}

type Use = {
  readonly template: Template
  /** The words of the version that is used. */
  readonly words: Pick<Version, 'version' | 'content'>
  readonly isPinned: boolean
}

function usedOf({ template, words, isPinned }: Use): UsedTemplate {
  const whole: CampaignContent & { readonly languages?: Languages } = Object(words.content)
  const { languages = {}, ...content } = whole
  return {
    id: template.template_id,
    name: template.name,
    version: words.version,
    isPinned,
    newest: template.version,
    isArchived: template.archived_at !== null,
    content,
    languages,
  }
}

/** The newest version of a template, to stay with: the words that are on the page are the words that are sent. */
export function pinned(template: Template): UsedTemplate {
  return usedOf({ template, words: template, isPinned: true })
}
