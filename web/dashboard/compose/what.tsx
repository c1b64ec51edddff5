import { ActionIcon, SegmentedControl, Select, TextInput } from '@mantine/core'
import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs'
import { BeckonError } from '../../client/failure.ts'
import { Card } from '../kit/card.tsx'
import { Icon } from '../kit/icon.tsx'
import { useRead } from '../kit/queries.ts'
import { useLanguage, useTexts } from '../kit/texts.tsx'
import { nameOf } from './document.ts'
import { BASE, type ControlProps, type Draft, type Focus, languagesIn, NO_WORDS } from './draft.ts'
import { OwnFields, PlatformChoice } from './own-fields.tsx'
import styles from './page.module.css'
import { Platforms } from './platforms.tsx'
import type { Rendered } from './rendered.ts'
import { TemplateChoice } from './template-choice.tsx'
import { TextField } from './text-field.tsx'
import { COMPOSE_TEXTS } from './texts.ts'

type WhatProps = ControlProps & {
  /** A campaign may say something else on each platform and in a second variant; a template says one thing. */
  readonly kind: 'campaign' | 'template'
  readonly canWrite: boolean
  readonly rendered: Rendered | undefined
  readonly focus: Focus
  readonly setFocus: (focus: Focus) => void
  readonly error: Error | null
}

/** The words, in each language and variant, or for one platform, and where a tap leads. */
export function What({ kind, draft, change, canWrite, rendered, focus, setFocus, error }: WhatProps) {
  const { what } = useTexts(COMPOSE_TEXTS)
  const flaw = (field: string): string | null =>
    error instanceof BeckonError
      ? (error.errors.find((one) => one.field?.endsWith(`${focus.platform ?? 'content'}.${field}`) === true)
          ?.message ?? null)
      : null
  return (
    <Card title={what.title} aside={<Languages {...{ draft, change, canWrite, focus, setFocus }} />}>
      <fieldset className={styles.fields} disabled={!canWrite}>
        <legend className="sr-only">{what.title}</legend>
        {kind === 'campaign' && <TemplateChoice {...{ draft, change, canWrite }} />}
        {draft.trial.kind === 'ab' && (
          <SegmentedControl
            className={styles.start ?? ''}
            aria-label={what.variant}
            value={focus.variant}
            data={['A', 'B']}
            onChange={(variant) => setFocus({ ...focus, variant: variant === 'B' ? 'B' : 'A' })}
          />
        )}
        {kind === 'campaign' && focus.language === BASE && <PlatformChoice {...{ draft, focus, setFocus }} />}
        <TextField {...{ draft, change, focus, rendered }} field="title" />
        <TextField {...{ draft, change, focus, rendered }} field="message" />
        {focus.platform === null && <Links {...{ draft, change, flaw }} />}
        {focus.platform !== null && focus.variant === 'A' && (
          <OwnFields {...{ draft, change, flaw }} platform={focus.platform} />
        )}
        {kind === 'template' && <Platforms draft={draft} change={change} />}
        <TextInput
          label={what.name}
          placeholder={nameOf(draft)}
          value={draft.name}
          onChange={({ currentTarget }) => change({ name: currentTarget.value })}
        />
      </fieldset>
    </Card>
  )
}

type LinksProps = ControlProps & { readonly flaw: (field: string) => string | null }

/** Where a tap leads, and the picture. */
function Links({ draft, change, flaw }: LinksProps) {
  const { what } = useTexts(COMPOSE_TEXTS)
  return (
    <div className={styles.pair}>
      <TextInput
        label={what.opens}
        placeholder={draft.template?.content.url ?? what.opensHint}
        value={draft.url}
        error={flaw('url')}
        onChange={({ currentTarget }) => change({ url: currentTarget.value })}
      />
      <TextInput
        label={what.picture}
        placeholder={draft.template?.content.image_url ?? what.pictureHint}
        value={draft.imageUrl}
        error={flaw('image_url')}
        onChange={({ currentTarget }) => change({ imageUrl: currentTarget.value })}
      />
    </div>
  )
}

type LanguagesProps = Pick<WhatProps, 'draft' | 'change' | 'canWrite' | 'focus' | 'setFocus'>

/** The languages of the text. The base is for whoever speaks none of them. */
function Languages({ draft, change, canWrite, focus, setFocus }: LanguagesProps) {
  const { what } = useTexts(COMPOSE_TEXTS)
  const languageName = useLanguageNames()
  const tags = languagesIn(draft)
  const remove = (tag: string): void => {
    const without = (texts: Draft['texts']['A']) =>
      Object.fromEntries(Object.entries(texts).filter(([one]) => one !== tag))
    change({ texts: { A: without(draft.texts.A), B: without(draft.texts.B) } })
    setFocus({ ...focus, language: BASE })
  }
  return (
    <div className={styles.languages}>
      {tags.length > 0 && (
        <SegmentedControl
          aria-label={what.languages}
          value={focus.language}
          data={[BASE, ...tags].map((value) => ({ value, label: languageName(value) }))}
          onChange={(language) => setFocus({ ...focus, language, platform: null })}
        />
      )}
      {canWrite && focus.language !== BASE && (
        <ActionIcon
          aria-label={what.remove(languageName(focus.language))}
          onClick={() => remove(focus.language)}
        >
          <Icon of={IconX} />
        </ActionIcon>
      )}
      {canWrite && (
        <AddLanguage
          taken={tags}
          onAdd={(tag) => {
            change({ texts: { ...draft.texts, A: { ...draft.texts.A, [tag]: NO_WORDS } } })
            setFocus({ ...focus, language: tag, platform: null })
          }}
        />
      )}
    </div>
  )
}

function AddLanguage({
  taken,
  onAdd,
}: {
  readonly taken: readonly string[]
  readonly onAdd: (tag: string) => void
}) {
  const { what } = useTexts(COMPOSE_TEXTS)
  const languageName = useLanguageNames()
  const { data } = useRead('GET /api/v1/catalogue/languages', { query: { limit: 50 } })
  const used = (data?.languages ?? []).map(({ value }) => value).filter((tag) => TAG.test(tag))
  const offered = [...new Set([...used, ...COMMON])].filter((tag) => !taken.includes(tag))
  return (
    <Select
      className={styles.add ?? ''}
      size="xs"
      aria-label={what.add}
      placeholder={`+ ${what.add}`}
      searchable
      value={null}
      data={offered.map((value) => ({ value, label: languageName(value) }))}
      onChange={(tag) => tag !== null && onAdd(tag)}
    />
  )
}

const TAG = /^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,4}$/
const COMMON = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'tr', 'ar', 'hi', 'ja', 'ko', 'zh'] as const

function useLanguageNames(): (tag: string) => string {
  const { what } = useTexts(COMPOSE_TEXTS)
  const { language } = useLanguage()
  const names = new Intl.DisplayNames([language], { type: 'language', fallback: 'code' })
  return (tag) => (tag === BASE ? what.base : (names.of(tag.replaceAll('_', '-')) ?? tag))
}
