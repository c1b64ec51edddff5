import type { Platform } from '../../../src/rules/platforms.ts'
import type { Campaign } from '../../client/api/campaigns.ts'
import type { CampaignContent, CampaignVariant } from '../../client/api/documents.ts'
import { type Audience, EVERYONE, readAudience } from './audience.ts'
import { NO_OWNS, type Owns, readOwns } from './own.ts'
import { readTiming, type Timing } from './timing.ts'
import type { Languages, UsedTemplate } from './used-template.ts'

/** The key of the content that has no language of its own. */
export const BASE = ''

export type Words = { readonly title: string; readonly message: string }

export type VariantName = 'A' | 'B'

/** The text that is being written: in a language and a variant for all devices, or for one platform. */
export type Focus = {
  readonly language: string
  readonly variant: VariantName
  readonly platform: Platform | null
}

/** The texts of a variant by language; `BASE` is everybody else's. */
export type Texts = Readonly<Record<string, Words>>

export type Trial = {
  /** `kept`: the campaign has variants that this page cannot show, so it leaves them alone. */
  readonly kind: 'none' | 'ab' | 'kept'
  readonly winner: 'none' | 'click' | 'goal'
  readonly testPercent: number
  readonly afterHours: number
}

/** Everything that the page edits. Fields that it does not know stay as they are stored. */
export type Draft = {
  readonly name: string
  readonly audience: Audience
  readonly platforms: readonly string[]
  /** Whether virtual devices get it too, which audiences leave out. */
  readonly reachesVirtual: boolean
  readonly texts: Readonly<Record<VariantName, Texts>>
  /** The fields that differ on a platform, in each variant. */
  readonly owns: Readonly<Record<VariantName, Owns>>
  readonly url: string
  readonly imageUrl: string
  readonly timing: Timing
  readonly trial: Trial
  readonly holdoutPercent: number
  readonly goal: { readonly event: string; readonly withinDays: number } | null
  readonly perSecond: number | null
  readonly topic: string
  /** The template that fills in what the message does not say itself. */
  readonly template: UsedTemplate | null
  /** The stored content, whose other fields are kept. */
  readonly stored: Pick<Campaign, 'content' | 'languages' | 'variants' | 'android' | 'ios' | 'web'>
}

/** The controls of one part of the draft. */
export type ControlProps = { readonly draft: Draft; readonly change: (changes: Partial<Draft>) => void }

export const NO_WORDS: Words = { title: '', message: '' }

export const NO_TRIAL: Trial = { kind: 'none', winner: 'none', testPercent: 20, afterHours: 4 }

export const ALL_PLATFORMS: readonly string[] = ['ios', 'android', 'web']

/** The audience that an address names; both are empty when it names none. */
export type NamedAudience = { readonly person: string; readonly segment: string }

/** A new message; for the person or the segment that the address names. */
export function newDraft({ person, segment }: NamedAudience): Draft {
  return {
    name: '',
    audience: audienceOf({ person, segment }),
    platforms: ALL_PLATFORMS,
    reachesVirtual: false,
    texts: { A: { [BASE]: NO_WORDS }, B: {} },
    owns: { A: NO_OWNS, B: NO_OWNS },
    url: '',
    imageUrl: '',
    timing: readTiming({}),
    trial: NO_TRIAL,
    holdoutPercent: 0,
    goal: null,
    perSecond: null,
    topic: '',
    template: null,
    stored: {},
  }
}

function audienceOf({ person, segment }: NamedAudience): Audience {
  if (person !== '') return { ...EVERYONE, kind: 'users', users: [person] }
  return segment === '' ? EVERYONE : { ...EVERYONE, kind: 'segment', segmentId: segment }
}

/** The stored campaign as the page edits it, with the words of the template that it is made with. */
export function draftOf(campaign: Campaign, template: UsedTemplate | null): Draft {
  const { variants = [], goal, holdout_percent: held, per_second: pace } = campaign
  const { texts, stored, ...links } = filledWith(template, campaign)
  const second = variants.find(({ name }) => name === 'B')
  return {
    name: campaign.name,
    audience: readAudience(campaign.audience),
    platforms: campaign.platforms ?? ALL_PLATFORMS,
    reachesVirtual: campaign.include_virtual_devices ?? false,
    texts: {
      A: texts,
      B:
        second === undefined
          ? {}
          : { [BASE]: wordsOf(second.content ?? {}), ...textsOf(second.languages ?? {}) },
    },
    owns: { A: readOwns(campaign), B: readOwns(second ?? {}) },
    ...links,
    timing: readTiming(campaign),
    trial: trialOf(campaign),
    holdoutPercent: Number(held ?? 0),
    goal: goal === undefined ? null : { event: goal.event, withinDays: goal.within_days },
    perSecond: pace === undefined ? null : Number(pace),
    topic: campaign.topic ?? '',
    template,
    stored: { ...storedOf(campaign), ...stored },
  }
}

function storedOf({ variants = [], android, ios, web }: Campaign) {
  return { variants, ...(android && { android }), ...(ios && { ios }), ...(web && { web }) }
}

type OwnContent = { readonly content?: CampaignContent; readonly languages?: Languages }

/** The fields of a message, and below them those of its template. Languages of its own replace the template's. */
export function filledWith(template: UsedTemplate | null, own: OwnContent) {
  const { template_id: _id, template_version: _version, ...fields } = own.content ?? {}
  const content: CampaignContent = { ...template?.content, ...fields }
  const languages = own.languages ?? template?.languages ?? {}
  return {
    texts: { [BASE]: wordsOf(content), ...textsOf(languages) },
    url: content.url ?? '',
    imageUrl: content.image_url ?? '',
    stored: { content, languages },
  }
}

function textsOf(languages: Languages): Texts {
  return Object.fromEntries(Object.entries(languages).map(([tag, content]) => [tag, wordsOf(content)]))
}

function wordsOf({ title = '', message = '' }: Pick<CampaignContent, 'title' | 'message'>): Words {
  return { title, message }
}

function trialOf({ variants = [], winner }: Campaign): Trial {
  const chosen = winner === undefined ? {} : winnerOf(winner)
  if (variants.length === 0) return NO_TRIAL
  return { ...NO_TRIAL, ...chosen, kind: isPair(variants) ? 'ab' : 'kept' }
}

function winnerOf({
  by,
  test_percent: testPercent,
  after_hours: afterHours,
}: NonNullable<Campaign['winner']>) {
  return { winner: by, testPercent, afterHours }
}

/** Whether the variants are an A that is the campaign's own content, and a B with other words. */
function isPair(variants: readonly CampaignVariant[]): boolean {
  const [first, second] = variants
  return (
    variants.length === 2 &&
    first?.name === 'A' &&
    second?.name === 'B' &&
    first.content === undefined &&
    second.content?.template_id === undefined &&
    [first.android, first.ios, first.web].every((own) => own === undefined)
  )
}

/** The languages beside the base, in the order in which they were added. */
export function languagesIn({ texts }: Pick<Draft, 'texts'>): readonly string[] {
  return Object.keys(texts.A).filter((tag) => tag !== BASE)
}

/** Whether there is enough to store: the API takes no message without words. */
export function isComplete(draft: Draft): boolean {
  const own = draft.texts.A[BASE] ?? NO_WORDS
  const below = draft.template?.content
  const [title, message] = [own.title || below?.title, own.message || below?.message]
  return [title, message].every((text = '') => text.trim() !== '') && draft.platforms.length > 0
}
