import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import { SNIPPET_LIMITS, SNIPPET_NAME, TEMPLATE_LIMITS } from '../../../src/rules/templates.ts'
import type { Snippet } from '../../client/api/templates.ts'
import compose from '../compose/page.module.css'
import { PreviewPane } from '../compose/preview-pane.tsx'
import { WordsField } from '../compose/words-field.tsx'
import { useGo } from '../kit/address.tsx'
import { Card } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useMay } from '../kit/member.ts'
import { useFormat } from '../kit/number.tsx'
import { Page } from '../kit/page.tsx'
import { Pill } from '../kit/pill.tsx'
import { useWrite } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import { useContentPreview } from './content-preview.ts'
import { DeleteSnippet, SnippetUsers } from './snippet-use.tsx'
import styles from './template.module.css'
import { TEMPLATE_TEXTS } from './texts.ts'

type EditorProps = { readonly snippet: Snippet | null }

/** One snippet: its text on the left, a message with it on the right. */
export function SnippetEditor({ snippet }: EditorProps) {
  const texts = useTexts(TEMPLATE_TEXTS)
  const mayWrite = useMay('push', 'draft')
  const own = useSnippet(snippet)
  const { name, setName, text, setText, isChanged } = own
  const [person, setPerson] = useState('')
  const { rendered, refusal } = useContentPreview({
    content: { title: texts.snippet.sample, message: text },
    platforms: WITHOUT_LIMITS,
    person,
    language: null,
    isEnabled: text.trim() !== '',
  })
  const error = own.error ?? refusal
  return (
    <Page
      title={snippet?.name ?? texts.newSnippet}
      above={{ name: texts.title, to: '/templates?show=snippets' }}
      state={
        <span role="status">
          {isChanged && <Pill>{texts.unsaved}</Pill>}
          {!isChanged && snippet !== null && <Pill>{texts.saved(snippet.version)}</Pill>}
        </span>
      }
      actions={
        <>
          <Curl {...{ snippet, name, text }} />
          {snippet !== null && <DeleteSnippet snippet={snippet} />}
          {mayWrite && (
            <Button variant="filled" disabled={!own.canSave} loading={own.isPending} onClick={own.save}>
              {texts.save}
            </Button>
          )}
        </>
      }
    >
      {!mayWrite && <p className={compose.notice}>{texts.readOnly}</p>}
      {error !== null && <FailureNote error={error} />}
      <div className={compose.columns}>
        <div className={compose.left}>
          <Card>
            <fieldset className={compose.fields} disabled={!mayWrite}>
              <legend className="sr-only">{texts.snippet.text}</legend>
              {snippet === null && <NameInput value={name} onChange={setName} />}
              <SnippetText value={text} onChange={setText} />
              {SNIPPET_NAME.test(name) && <Tag name={name} />}
            </fieldset>
          </Card>
          {snippet !== null && <SnippetUsers name={snippet.name} />}
        </div>
        <PreviewPane
          {...{ rendered, person, setPerson }}
          focus={NO_FOCUS}
          platforms={WITHOUT_LIMITS}
          anybody={texts.anybody}
        />
      </div>
    </Page>
  )
}

/** A browser takes a text of any length, so a snippet is previewed there. */
const WITHOUT_LIMITS: readonly string[] = ['web']
const NO_FOCUS = { platform: null } as const

/** The snippet as it stands on the page, and the call that saves it. */
function useSnippet(snippet: Snippet | null) {
  const go = useGo()
  const [name, setName] = useState(snippet?.name ?? '')
  const [text, setText] = useState(snippet?.text ?? '')
  const refreshes = ['GET /api/v1/snippets', 'GET /api/v1/snippets/{name}'] as const
  const create = useWrite('POST /api/v1/snippets', {
    refreshes,
    onDone: ({ snippet: made }) => go(`/templates/snippets/${made.name}`, 'replace'),
  })
  const patch = useWrite('PATCH /api/v1/snippets/{name}', { refreshes })
  const { isPending, error } = snippet === null ? create : patch
  const isChanged = text !== (snippet?.text ?? '') || name !== (snippet?.name ?? '')
  return {
    name,
    setName,
    text,
    setText,
    isChanged,
    canSave: isChanged && text.trim() !== '' && SNIPPET_NAME.test(name),
    isPending,
    error,
    save: () => {
      if (snippet === null) return create.mutate({ body: { name, text } })
      patch.mutate({ path: { name: snippet.name }, body: { version: snippet.version, text } })
    },
  }
}

type CurlProps = EditorProps & { readonly name: string; readonly text: string }

function Curl({ snippet, name, text }: CurlProps) {
  if (snippet === null) return <CopyCurl endpoint="POST /api/v1/snippets" input={{ body: { name, text } }} />
  const input = { path: { name: snippet.name }, body: { version: snippet.version, text } }
  return <CopyCurl endpoint="PATCH /api/v1/snippets/{name}" input={input} />
}

type FieldProps = { readonly value: string; readonly onChange: (text: string) => void }

function NameInput({ value, onChange }: FieldProps) {
  const { snippet } = useTexts(TEMPLATE_TEXTS)
  return (
    <TextInput
      label={snippet.name}
      placeholder={snippet.nameHint}
      description={snippet.nameRule}
      maxLength={SNIPPET_LIMITS.nameCharsMax}
      value={value}
      error={value !== '' && !SNIPPET_NAME.test(value)}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}

function SnippetText({ value, onChange }: FieldProps) {
  const { snippet } = useTexts(TEMPLATE_TEXTS)
  const format = useFormat()
  const used = Array.from(value).length
  const { charsMax } = TEMPLATE_LIMITS
  const says = snippet.count(format.count(used), format.count(charsMax))
  return (
    <WordsField
      id="snippet-text"
      label={snippet.text}
      counter={{ says, isOver: used > charsMax }}
      shape="lines"
      value={value}
      onChange={onChange}
    />
  )
}

/** The words that put the snippet into a text. */
function Tag({ name }: { readonly name: string }) {
  const { snippet } = useTexts(TEMPLATE_TEXTS)
  return (
    <div className={styles.tag}>
      <span className="quiet">{snippet.tag}</span>
      <code>{`{% render "${name}" %}`}</code>
    </div>
  )
}
