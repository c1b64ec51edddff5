import { Button, Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { Link } from '../kit/address.tsx'
import { call } from '../kit/call.ts'
import { FailureNote } from '../kit/failure-note.tsx'
import { useFormat } from '../kit/number.tsx'
import { useRead } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import { TYPING_MS } from '../kit/typing.ts'
import { showUndo } from '../kit/undo-toast.tsx'
import type { ControlProps } from './draft.ts'
import styles from './page.module.css'
import { SaveTemplate } from './save-template.tsx'
import { withNewest, withoutTemplate, withTemplate } from './template-content.ts'
import { COMPOSE_TEXTS } from './texts.ts'
import type { UsedTemplate } from './used-template.ts'

type TemplateProps = ControlProps & { readonly canWrite: boolean }

/** The template that the message is made with, or the way to choose one; and the way to make one of the message. */
export function TemplateChoice({ draft, change, canWrite }: TemplateProps) {
  const { template } = draft
  return (
    <div className={styles.template} data-template={template === null ? '' : String(template.id)}>
      {template === null ? (
        canWrite && <Choose draft={draft} change={change} />
      ) : (
        <Made {...{ draft, change, canWrite, template }} />
      )}
      {canWrite && <SaveTemplate draft={draft} />}
    </div>
  )
}

const OFFERED_MAX = 50

function Choose({ draft, change }: ControlProps) {
  const { template: texts } = useTexts(COMPOSE_TEXTS)
  const [typed, setTyped] = useState('')
  const [text] = useDebouncedValue(typed.trim(), TYPING_MS)
  const query = { limit: OFFERED_MAX, ...(text === '' ? {} : { text }) }
  const { data } = useRead('GET /api/v1/templates', { query }, { keepsFormer: true })
  const templates = data?.templates ?? []
  const take = (id: string | null): void => {
    const chosen = templates.find((one) => String(one.template_id) === id)
    if (chosen === undefined) return
    change(withTemplate(draft, chosen))
    showUndo({ done: texts.taken(chosen.name), undo: texts.undo, onUndo: () => change(draft) })
  }
  return (
    <Select
      className={styles.chooseTemplate ?? ''}
      aria-label={texts.choose}
      placeholder={texts.choose}
      nothingFoundMessage={texts.none}
      searchable
      // The server has chosen already; a filter of its own would hide what it found in another case.
      filter={({ options }) => options}
      onSearchChange={setTyped}
      value={null}
      data={templates.map(({ template_id: id, name }) => ({ value: String(id), label: name }))}
      onChange={take}
    />
  )
}

type MadeProps = TemplateProps & { readonly template: UsedTemplate }

/** The template by its name, with the ways to its newest version and out of it. */
function Made({ draft, change, canWrite, template }: MadeProps) {
  const { template: texts } = useTexts(COMPOSE_TEXTS)
  const format = useFormat()
  const [error, setError] = useState<Error | null>(null)
  const { id, name, version, newest, isPinned, isArchived } = template
  const takeNewest = async (): Promise<void> => {
    try {
      const path = { template_id: String(id) }
      const found = await call('GET /api/v1/templates/{template_id}', { path }, { isRead: true })
      change(withNewest(draft, found.template))
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)))
    }
  }
  return (
    <div className={styles.made}>
      <p className="small">
        {texts.made} <Link to={`/templates/${id}`}>{name}</Link>,{' '}
        {isPinned ? texts.version(format.count(version)) : texts.newest}{' '}
        <span className="quiet">{isArchived ? texts.archived : texts.own}</span>
      </p>
      {canWrite && (
        <div className={styles.madeActions}>
          {isPinned && version < newest && (
            <Button size="compact-sm" onClick={() => void takeNewest()}>
              {texts.take(format.count(newest))}
            </Button>
          )}
          <Button size="compact-sm" onClick={() => change(withoutTemplate(draft))}>
            {texts.free}
          </Button>
        </div>
      )}
      {error !== null && <FailureNote error={error} />}
    </div>
  )
}
