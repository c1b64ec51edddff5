import { Button } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import type { Campaign } from '../../client/api/campaigns.ts'
import type { Template } from '../../client/api/templates.ts'
import { BeckonError } from '../../client/failure.ts'
import { usePathWord, useSearchWords } from '../kit/address.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useMay } from '../kit/member.ts'
import { Page } from '../kit/page.tsx'
import { Pill } from '../kit/pill.tsx'
import { useRead } from '../kit/queries.ts'
import { Lines } from '../kit/skeleton.tsx'
import { useLanguage, useTexts } from '../kit/texts.tsx'
import { shortOf } from '../kit/time.tsx'
import { After } from './after.tsx'
import { AudienceList } from './audience-list.tsx'
import { type Composer, useComposer } from './composer.ts'
import { nameOf, newDocumentOf } from './document.ts'
import { BASE, type Draft, draftOf, type Focus, type NamedAudience, newDraft } from './draft.ts'
import { Options } from './options.tsx'
import styles from './page.module.css'
import { PreviewPane } from './preview-pane.tsx'
import type { DryRun } from './reach.tsx'
import { Review } from './review.tsx'
import { withTemplate } from './template-content.ts'
import { TestSend } from './test-send.tsx'
import { COMPOSE_TEXTS } from './texts.ts'
import { templateIn, type UsedTemplate, useUsedTemplate } from './used-template.ts'
import { What } from './what.tsx'
import { Who } from './who.tsx'
import { WouldReach } from './would-reach.tsx'

/** Write once, see it as it will look, know whom it reaches, and send it. */
export function ComposePage() {
  const id = usePathWord('campaignId')
  const texts = useTexts(COMPOSE_TEXTS)
  const [{ person = '', segment = '', template: templateId = '' }] = useSearchWords()
  const begun = useBeginning(id === '' ? templateId : '')
  const named = { person, segment, template: begun.data?.template }
  const canWrite = useMay('push', 'draft')
  const path = { campaign_id: id }
  const { data, error, refetch } = useRead(ONE, { path }, { isEnabled: id !== '' })
  const campaign = id === '' ? undefined : data?.campaign
  const used = useUsedTemplate(templateIn(campaign))
  const isLaunched = campaign !== undefined && campaign.state !== 'draft'
  const { isOwn, session, setBorn } = useBirth(id, isLaunched)
  const above = { name: texts.messages, to: '/messages' }
  // A draft that this page has just stored goes on with what is on the page.
  if (isOwn && canWrite && begun.isReady) {
    return <Editor key={session} campaign={null} live={campaign} {...{ named, used }} onBorn={setBorn} />
  }
  if (campaign !== undefined && used.isReady) {
    const key = `${id} ${isLaunched}`
    return <Editor key={key} campaign={campaign} live={campaign} {...{ named, used }} onBorn={setBorn} />
  }
  return (
    <Page title={texts.title} above={above}>
      {error !== null && <FailureNote error={error} onRetry={() => void refetch()} />}
      {begun.error !== null && <FailureNote error={begun.error} />}
      {used.error !== null && <FailureNote error={used.error} />}
      {id === '' && !canWrite && <p className="quiet">{texts.readOnly}</p>}
      {[error, begun.error, used.error].every((one) => one === null) && (id !== '' || canWrite) && (
        <Lines count={8} />
      )}
    </Page>
  )
}

const ONE = 'GET /api/v1/campaigns/{campaign_id}'

/** The template that a new message begins with. */
function useBeginning(id: string) {
  const path = { template_id: id }
  const isEnabled = id !== ''
  const { data, error } = useRead('GET /api/v1/templates/{template_id}', { path }, { isEnabled })
  return { data, error, isReady: !isEnabled || data !== undefined }
}

/** Whether the address is that of the draft that was begun here, from the first letter to its launch. */
function useBirth(id: string, isLaunched: boolean) {
  const [born, setBorn] = useState<string | null>(null)
  const [session, setSession] = useState(0)
  const before = useRef(id)
  useEffect(() => {
    if (id === '' && before.current !== '') {
      setBorn(null)
      setSession((count) => count + 1)
    }
    before.current = id
  }, [id])
  useEffect(() => {
    if (isLaunched) setBorn(null)
  }, [isLaunched])
  return { isOwn: id === '' || (id === born && !isLaunched), session: `new ${session}`, setBorn }
}

/** The content that a new message begins with. */
type Beginning = NamedAudience & { readonly template: Template | undefined }

type EditorProps = {
  readonly campaign: Campaign | null
  /** The campaign as it is stored now. */
  readonly live: Campaign | undefined
  readonly named: Beginning
  /** The template of the stored campaign. */
  readonly used: { readonly template: UsedTemplate | null }
  readonly onBorn: (id: string) => void
}

function Editor({ campaign, live, named, used, onBorn }: EditorProps) {
  const texts = useTexts(COMPOSE_TEXTS)
  const mayWrite = useMay('push', 'draft')
  const isLaunched = live !== undefined && live.state !== 'draft'
  const canWrite = mayWrite && !isLaunched
  const draft = campaign === null ? beginningOf(named) : draftOf(campaign, used.template)
  const composer = useComposer({ draft, saved: campaign, canSave: canWrite, onBorn })
  const [focus, setFocus] = useState<Focus>({ language: BASE, variant: 'A', platform: null })
  const [person, setPerson] = useState(named.person)
  const { dryRun, refusal } = usePreview({ composer, focus, person, isEnabled: mayWrite })
  const campaignId = composer.saved === null ? null : String(composer.saved.campaign_id)
  const parts = { draft: composer.draft, change: composer.change, campaignId, canWrite, dryRun }
  const name = nameOf(composer.draft)
  return (
    <Page
      title={name === '' ? texts.title : name}
      above={{ name: texts.messages, to: '/messages' }}
      state={!isLaunched && <SaveState composer={composer} />}
      actions={canWrite && <Actions {...{ composer, dryRun, person }} />}
    >
      {isLaunched && <After campaign={live} />}
      {!isLaunched && <Notes composer={composer} refusal={refusal} canWrite={mayWrite} />}
      <div className={styles.columns}>
        <div className={styles.left}>
          <Who {...parts} />
          <What
            kind="campaign"
            {...parts}
            {...{ focus, setFocus }}
            rendered={dryRun}
            error={composer.error}
          />
          <Options {...parts} />
          {mayWrite && !isLaunched && <WouldReach {...{ campaignId, person, setPerson }} />}
        </div>
        {mayWrite && (
          <PreviewPane
            {...{ person, setPerson, focus }}
            rendered={dryRun}
            platforms={composer.draft.platforms}
          />
        )}
      </div>
      {mayWrite && campaignId !== null && <AudienceList campaignId={campaignId} />}
    </Page>
  )
}

/** A new message: empty, or made with a template. */
function beginningOf({ template, ...audience }: Beginning): Draft {
  const draft = newDraft(audience)
  return template === undefined ? draft : withTemplate(draft, template)
}

type PreviewQuestion = {
  readonly composer: Composer
  readonly focus: Focus
  readonly person: string
  readonly isEnabled: boolean
}

/** The dry run of what is stored, for the person, the language and the variant that are looked at. */
function usePreview({ composer, focus, person, isEnabled }: PreviewQuestion) {
  const { saved, draft } = composer
  const path = { campaign_id: String(saved?.campaign_id ?? '') }
  const query = {
    ...(person === '' ? {} : { user_id: person }),
    ...(focus.language === BASE ? {} : { language: focus.language }),
    ...(draft.trial.kind === 'ab' && saved?.variants !== undefined ? { variant: focus.variant } : {}),
  }
  const { data, error } = useRead(
    'POST /api/v1/campaigns/{campaign_id}/dry_run',
    { path, query },
    { isEnabled: isEnabled && saved !== null, keepsFormer: true },
  )
  return { dryRun: error === null ? data : undefined, refusal: error }
}

function SaveState({ composer }: { readonly composer: Composer }) {
  const texts = useTexts(COMPOSE_TEXTS)
  const { language } = useLanguage()
  const { saved, savedAt, isSaved, error } = composer
  if (error !== null) return <Pill tone="bad">{texts.refused}</Pill>
  if (saved === null) return <Pill>{texts.unsaved}</Pill>
  if (!isSaved) return <Pill>{texts.saving}</Pill>
  return <Pill>{texts.saved(shortOf(savedAt ?? new Date(saved.updated_at), language))}</Pill>
}

type NotesProps = {
  readonly composer: Composer
  /** Why the stored draft cannot be sent as it is. */
  readonly refusal: Error | null
  readonly canWrite: boolean
}

function Notes({ composer, refusal, canWrite }: NotesProps) {
  const { readOnly, reload, after } = useTexts(COMPOSE_TEXTS)
  const [{ undone }] = useSearchWords()
  const { error, retry } = composer
  const isOutdated = error instanceof BeckonError && error.code === 'campaign_version'
  return (
    <>
      {!canWrite && <p className={styles.notice}>{readOnly}</p>}
      {undone !== undefined && (
        <p className={styles.notice} role="status">
          {after.undone}
        </p>
      )}
      {error !== null && <FailureNote error={error} {...(isOutdated ? {} : { onRetry: retry })} />}
      {isOutdated && (
        <Button className={styles.reload ?? ''} onClick={() => location.reload()}>
          {reload}
        </Button>
      )}
      {error === null && refusal !== null && <FailureNote error={refusal} />}
    </>
  )
}

type ActionsProps = {
  readonly composer: Composer
  readonly dryRun: DryRun | undefined
  readonly person: string
}

function Actions({ composer, dryRun, person }: ActionsProps) {
  const maySend = useMay('push')
  const { saved, isSaved, draft } = composer
  const id = saved === null ? null : String(saved.campaign_id)
  const stored = isSaved ? saved : null
  return (
    <>
      <CopyCurl endpoint="POST /api/v1/campaigns" input={{ body: Object(newDocumentOf(draft)) }} />
      {maySend && <TestSend campaignId={stored === null ? null : id} person={person} />}
      <Review {...{ draft, dryRun }} saved={stored} />
    </>
  )
}
