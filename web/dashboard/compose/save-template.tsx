import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import { SAVED_TEMPLATE_LIMITS } from '../../../src/rules/templates.ts'
import { Link } from '../kit/address.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useWrite } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import { nameOf } from './document.ts'
import { type Draft, isComplete } from './draft.ts'
import { isOwn } from './own.ts'
import styles from './page.module.css'
import { templateContentOf } from './template-content.ts'
import { COMPOSE_TEXTS } from './texts.ts'

type SaveProps = { readonly draft: Draft }

/** Makes a template of the words that are on the page. */
export function SaveTemplate({ draft }: SaveProps) {
  const { template: texts } = useTexts(COMPOSE_TEXTS)
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button disabled={!isComplete(draft)} onClick={() => setOpen(true)}>
        {texts.save}
      </Button>
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title={texts.saveTitle}>
        <SaveForm draft={draft} />
      </Dialog>
    </>
  )
}

const SAVE = 'POST /api/v1/templates'

function SaveForm({ draft }: SaveProps) {
  const { template: texts } = useTexts(COMPOSE_TEXTS)
  const [name, setName] = useState(nameOf(draft))
  const save = useWrite(SAVE, { refreshes: ['GET /api/v1/templates'] })
  const input = { body: { name: name.trim(), content: templateContentOf(draft), platforms: draft.platforms } }
  const made = save.data?.template
  return (
    <div className={styles.fields}>
      <p className="small quiet">{texts.saveText}</p>
      {saysMore(draft) && <p className="small quiet">{texts.saveNot}</p>}
      <TextInput
        label={texts.name}
        data-autofocus
        maxLength={SAVED_TEMPLATE_LIMITS.nameCharsMax}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      {save.error !== null && <FailureNote error={save.error} />}
      <p className="small" role="status">
        {made !== undefined && (
          <>
            {texts.saved} <Link to={`/templates/${made.template_id}`}>{texts.open}</Link>
          </>
        )}
      </p>
      <div className={styles.ends}>
        <CopyCurl endpoint={SAVE} input={input} />
        <Button
          variant="filled"
          disabled={name.trim() === '' || made !== undefined}
          loading={save.isPending}
          onClick={() => save.mutate(input)}
        >
          {texts.go}
        </Button>
      </div>
    </div>
  )
}

/** Whether a platform or a variant says something that a template cannot hold. */
function saysMore({ owns, trial }: Draft): boolean {
  return trial.kind !== 'none' || Object.values(owns.A).some(isOwn)
}
