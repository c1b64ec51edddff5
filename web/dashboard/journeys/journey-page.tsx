import { Button, SegmentedControl } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { JOURNEY_TEMPLATES } from '../../../src/rules/journey-templates.ts'
import { addressOf, useGo, usePathWord, useSearchWords } from '../kit/address.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { Empty } from '../kit/empty.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { Page } from '../kit/page.tsx'
import { Pill } from '../kit/pill.tsx'
import { useRead, useWrite } from '../kit/queries.ts'
import { PageSkeleton } from '../kit/skeleton.tsx'
import { useTexts } from '../kit/texts.tsx'
import { Canvas } from './canvas.tsx'
import type { CanvasTools } from './canvas-context.ts'
import { type Chosen, useChosen, VIEWS } from './chosen.ts'
import { useCounts } from './counts.ts'
import { bodyOf, type Draft, draftOf } from './draft.ts'
import { nodeOf, stepOfNode, TRIGGER_NODE } from './graph.ts'
import { type Lit, litBy } from './lit.ts'
import styles from './panel.module.css'
import { usePersonPath } from './people-panel.tsx'
import { SidePanel } from './side-panel.tsx'
import { StateActions } from './state-actions.tsx'
import { StatePill } from './state-pill.tsx'
import { Suggestions } from './suggestions.tsx'
import { JOURNEY_TEXTS } from './texts.ts'
import { type Editor, type Journey, useEditor } from './use-editor.ts'

/** One journey: drawn, tried, set going, and watched. */
export function JourneyPage() {
  const texts = useTexts(JOURNEY_TEXTS)
  const id = usePathWord('journeyId')
  const [words] = useSearchWords()
  const isNew = id === 'new'
  const read = useRead(
    'GET /api/v1/journeys/{journey_id}',
    { path: { journey_id: id } },
    { isEnabled: !isNew },
  )
  if (isNew)
    return <JourneyEditor key="new" journey={null} begun={begunWith(words['template'] ?? '', texts)} />
  if (read.error !== null && read.data === undefined)
    return isAbsent(read.error) ? (
      <Page title={texts.notFoundTitle} above={{ name: texts.title, to: '/journeys' }}>
        <Empty title={texts.notFoundTitle} text={texts.notFoundText} />
      </Page>
    ) : (
      <FailureNote error={read.error} onRetry={() => void read.refetch()} />
    )
  if (read.data === undefined) return <PageSkeleton />
  return <JourneyEditor key={id} journey={read.data.journey} begun={draftOf(read.data.journey)} />
}

function isAbsent(error: Error): boolean {
  return 'status' in error && error.status === 404
}

/** The template of the address, or one step that is still to be written. */
function begunWith(
  template: string,
  { templates }: { readonly templates: Readonly<Record<string, { readonly name: string }>> },
): Draft {
  const rows: Readonly<Record<string, object>> = JOURNEY_TEMPLATES
  const found = Object.hasOwn(rows, template) ? rows[template] : undefined
  const name = templates[template]?.name
  if (found !== undefined) return draftOf({ ...found, name: name ?? '' })
  return draftOf({ name: '', trigger: { event: '' }, steps: [{ id: 'wait', wait: { hours: 1 } }] })
}

type JourneyEditorProps = { readonly journey: Journey | null; readonly begun: Draft }

function JourneyEditor({ journey, begun }: JourneyEditorProps) {
  const texts = useTexts(JOURNEY_TEXTS)
  const editor = useEditor(journey, begun)
  const chosen = useChosen()
  const [tried, setTried] = useState<Lit | null>(null)
  const id = journey === null ? '' : String(journey.journey_id)
  const counts = useCounts(id)
  const walked = usePersonPath(id, chosen.person).data?.enrolments[0]
  const inside = new Map(counts?.steps.map((step) => [step.id, step.inside]))
  const tools = toolsOf(editor, chosen, id)
  const walkedLit = walked === undefined ? null : litBy(walked.path)
  return (
    <Page
      title={editor.draft.name.trim() === '' ? texts.untitled : editor.draft.name}
      above={{ name: texts.title, to: '/journeys' }}
      state={<StatePill journey={journey} />}
      actions={<Actions editor={editor} inside={counts?.inside ?? 0} />}
    >
      <Suggestions />
      {journey !== null && journey.reason !== null && (
        <p className={styles.obstacle} role="status">
          {texts.tooManyOldEvents}
        </p>
      )}
      <div className={styles.layout}>
        <Canvas
          editor={editor}
          tools={tools}
          chosen={chosenNode(chosen)}
          inside={inside}
          lit={chosen.view === 'try' ? tried : walkedLit}
        />
        <div className={styles.panel}>
          <div className={styles.views}>
            <SegmentedControl
              fullWidth
              aria-label={texts.viewsLabel}
              value={chosen.view}
              onChange={(view) => chosen.choose({ view: VIEWS.find((one) => one === view) ?? 'steps' })}
              data={VIEWS.map((view) => ({ value: view, label: texts.views[view] }))}
            />
          </div>
          <SidePanel
            {...{ editor, chosen, inside, journeyId: id, onLit: setTried, peopleAt: tools.peopleAt }}
          />
        </div>
      </div>
    </Page>
  )
}

function chosenNode({ step, isRules }: Chosen): string | null {
  if (isRules) return TRIGGER_NODE
  return step === null ? null : nodeOf(step)
}

function toolsOf(editor: Editor, chosen: Chosen, id: string): CanvasTools {
  const { draft, change, mayEdit } = editor
  const isListing = chosen.view === 'people'
  return {
    draft,
    change,
    mayEdit,
    onChoose: (node) => {
      const step = stepOfNode(node)
      const view = isListing && step !== null ? 'people' : 'steps'
      chosen.choose(step === null ? { view, rules: true } : { view, step })
    },
    onAdded: (step) => chosen.choose({ view: 'steps', step }),
    peopleAt: id === '' ? null : (step) => addressOf(`/journeys/${id}`, { view: 'people', step }),
  }
}

/** Saving comes first: only what is saved can be set going. */
function Actions({ editor, inside }: { readonly editor: Editor; readonly inside: number }) {
  const texts = useTexts(JOURNEY_TEXTS)
  const { journey, draft, isDirty, mayEdit, faults } = editor
  const body = Object(bodyOf(draft))
  const path = { journey_id: String(journey?.journey_id ?? '') }
  return (
    <>
      {mayEdit && (
        <span aria-live="polite">
          {faults.length > 0 && <Pill tone="bad">{texts.faults(faults.length)}</Pill>}
          {faults.length === 0 && isDirty && <Pill>{texts.unsaved}</Pill>}
        </span>
      )}
      {journey === null ? (
        <CopyCurl endpoint="POST /api/v1/journeys" input={{ body }} />
      ) : (
        <CopyCurl endpoint="PATCH /api/v1/journeys/{journey_id}" input={{ path, body }} />
      )}
      {journey !== null && (
        <StateActions journey={journey} inside={inside} isReady={!isDirty && faults.length === 0} />
      )}
      {mayEdit && isDirty && <Save editor={editor} />}
    </>
  )
}

function Save({ editor: { journey, draft, faults } }: { readonly editor: Editor }) {
  const texts = useTexts(JOURNEY_TEXTS)
  const go = useGo()
  const refreshes = ['GET /api/v1/journeys', 'GET /api/v1/journeys/{journey_id}', VERSIONS] as const
  const told = ({ journey: { version } }: { readonly journey: Journey }): void => {
    notifications.show({ message: texts.savedVersion(version) })
  }
  const create = useWrite('POST /api/v1/journeys', {
    refreshes,
    onDone: (reply) => {
      told(reply)
      go(`/journeys/${String(reply.journey.journey_id)}`, 'replace')
    },
  })
  const update = useWrite('PATCH /api/v1/journeys/{journey_id}', { refreshes, onDone: told })
  const body = Object(bodyOf(draft))
  const save = (): void => {
    if (journey === null) create.mutate({ body })
    else update.mutate({ path: { journey_id: String(journey.journey_id) }, body })
  }
  const error = create.error ?? update.error
  return (
    <>
      <Button
        variant="filled"
        disabled={faults.length > 0}
        loading={create.isPending || update.isPending}
        onClick={save}
      >
        {texts.save}
      </Button>
      {error !== null && <FailureNote error={error} />}
    </>
  )
}

const VERSIONS = 'GET /api/v1/journeys/{journey_id}/versions'
