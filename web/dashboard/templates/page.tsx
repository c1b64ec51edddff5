import { Button, SegmentedControl } from '@mantine/core'
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs'
import { PLATFORM_NAMES } from '../../../src/rules/platforms.ts'
import type { Snippet, Template } from '../../client/api/templates.ts'
import { COMPOSE_TEXTS } from '../compose/texts.ts'
import { Link, useGo, useSearchWords } from '../kit/address.tsx'
import { Card } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { Empty } from '../kit/empty.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { Icon } from '../kit/icon.tsx'
import { useMay } from '../kit/member.ts'
import { useFormat } from '../kit/number.tsx'
import { Page } from '../kit/page.tsx'
import { useRows } from '../kit/rows.ts'
import { SearchField } from '../kit/search-field.tsx'
import type { Column } from '../kit/table.tsx'
import { useTexts } from '../kit/texts.tsx'
import { Time } from '../kit/time.tsx'
import { VirtualTable } from '../kit/virtual-table.tsx'
import { LiquidText } from './liquid-text.tsx'
import styles from './page.module.css'
import { TEMPLATE_TEXTS } from './texts.ts'
import { wordIn } from './word-in.ts'

const KINDS = ['templates', 'snippets', 'archived'] as const
const PAGE_ROWS = 100

/** The messages that are written once and sent often, and the pieces of text that they share. */
export function TemplatesPage() {
  const texts = useTexts(TEMPLATE_TEXTS)
  const [words, change] = useSearchWords()
  const kind = KINDS.find((name) => name === words['show']) ?? 'templates'
  const text = words['text'] ?? ''
  const query = { limit: PAGE_ROWS, ...(text === '' ? {} : { text }) }
  const endpoint = kind === 'snippets' ? 'GET /api/v1/snippets' : 'GET /api/v1/templates'
  return (
    <Page
      title={texts.title}
      actions={
        <>
          <CopyCurl endpoint={endpoint} input={{ query }} />
          <CreateButtons kind={kind} />
        </>
      }
    >
      <div className={styles.tools}>
        <SegmentedControl
          aria-label={texts.kind}
          value={kind}
          onChange={(chosen) => change({ show: chosen === 'templates' ? undefined : chosen })}
          data={KINDS.map((name) => ({ value: name, label: texts.kinds[name] }))}
        />
        <SearchField
          className={styles.search}
          label={texts.search}
          hint={texts.searchHint}
          value={text}
          onChange={(next) => change({ text: next })}
        />
      </div>
      <Card inset="flush">
        {kind === 'snippets' ? (
          <SnippetList query={query} />
        ) : (
          <TemplateList query={{ ...query, archived: kind === 'archived' }} />
        )}
      </Card>
    </Page>
  )
}

type ListQuery = { readonly limit: number; readonly text?: string }

function TemplateList({ query }: { readonly query: ListQuery & { readonly archived: boolean } }) {
  const texts = useTexts(TEMPLATE_TEXTS)
  const list = useRows('GET /api/v1/templates', { query }, { rowsOf: ({ templates }) => templates })
  return (
    <>
      {list.error !== null && <FailureNote error={list.error} onRetry={list.retry} />}
      <VirtualTable
        label={query.archived ? texts.kinds.archived : texts.kinds.templates}
        columns={useTemplateColumns()}
        list={list}
        empty={<NoTemplates query={query} />}
      />
    </>
  )
}

function SnippetList({ query }: { readonly query: ListQuery }) {
  const texts = useTexts(TEMPLATE_TEXTS)
  const list = useRows('GET /api/v1/snippets', { query }, { rowsOf: ({ snippets }) => snippets })
  return (
    <>
      {list.error !== null && <FailureNote error={list.error} onRetry={list.retry} />}
      <VirtualTable
        label={texts.kinds.snippets}
        columns={useSnippetColumns()}
        list={list}
        empty={<NoSnippets query={query} />}
      />
    </>
  )
}

function useTemplateColumns(): readonly Column<Template>[] {
  const { columns } = useTexts(TEMPLATE_TEXTS)
  const { who, what } = useTexts(COMPOSE_TEXTS)
  const format = useFormat()
  return [
    {
      name: columns.name,
      cell: ({ template_id: id, name }) => (
        <Link className={styles.name} to={`/templates/${id}`}>
          {name}
        </Link>
      ),
    },
    {
      name: columns.says,
      cell: ({ content }) => (
        <span className={styles.says}>
          <b>
            <LiquidText text={wordIn(content['title'])} />
          </b>{' '}
          <span className="quiet">
            <LiquidText text={wordIn(content['message'])} />
          </span>
        </span>
      ),
    },
    {
      name: columns.on,
      cell: ({ platforms }) => (
        <span className={`${styles.when} quiet`}>
          {platforms.length === PLATFORM_NAMES.length
            ? what.allDevices
            : platforms.map((one) => who.names[one]).join(', ')}
        </span>
      ),
    },
    {
      name: columns.languages,
      kind: 'number',
      cell: ({ content }) => format.count(1 + Object.keys(Object(content['languages'] ?? {})).length),
    },
    { name: columns.changed, cell: ({ updated_at: at }) => <When at={at} /> },
  ]
}

function useSnippetColumns(): readonly Column<Snippet>[] {
  const { columns } = useTexts(TEMPLATE_TEXTS)
  return [
    {
      name: columns.name,
      cell: ({ name }) => (
        <Link className={styles.name} to={`/templates/snippets/${name}`}>
          {name}
        </Link>
      ),
    },
    {
      name: columns.text,
      cell: ({ text }) => (
        <span className={`${styles.says} quiet`}>
          <LiquidText text={text} />
        </span>
      ),
    },
    { name: columns.changed, cell: ({ updated_at: at }) => <When at={at} /> },
  ]
}

function When({ at }: { readonly at: string }) {
  return (
    <span className={`${styles.when} quiet`}>
      <Time at={at} how="ago" />
    </span>
  )
}

type CreateProps = { readonly kind: (typeof KINDS)[number] }

/** The list that is shown says which of the two is the one to make. */
function CreateButtons({ kind }: CreateProps) {
  const texts = useTexts(TEMPLATE_TEXTS)
  const go = useGo()
  if (!useMay('push', 'draft')) return null
  const isSnippet = kind === 'snippets'
  return (
    <Button
      variant="filled"
      leftSection={<Icon of={IconPlus} />}
      onClick={() => go(isSnippet ? '/templates/new-snippet' : '/templates/new')}
    >
      {isSnippet ? texts.createSnippet : texts.create}
    </Button>
  )
}

function NoTemplates({ query }: { readonly query: ListQuery & { readonly archived: boolean } }) {
  const texts = useTexts(TEMPLATE_TEXTS)
  if (query.text !== undefined) return <NothingFound />
  if (query.archived) return <Empty title={texts.emptyArchiveTitle} text={texts.emptyArchiveText} />
  const { title, message } = texts.emptyDrawing
  return (
    <Empty
      title={texts.emptyTitle}
      text={texts.emptyText}
      drawing={
        <p className={styles.drawn}>
          <b>{title}</b>
          <br />
          {message}
        </p>
      }
    >
      <CreateButtons kind="templates" />
    </Empty>
  )
}

function NoSnippets({ query }: { readonly query: ListQuery }) {
  const texts = useTexts(TEMPLATE_TEXTS)
  if (query.text !== undefined) return <NothingFound />
  return (
    <Empty
      title={texts.emptySnippetTitle}
      text={texts.emptySnippetText}
      drawing={<code className={styles.drawn}>{`{% render "${texts.snippet.nameHint}" %}`}</code>}
    >
      <CreateButtons kind="snippets" />
    </Empty>
  )
}

function NothingFound() {
  const texts = useTexts(TEMPLATE_TEXTS)
  const [, change] = useSearchWords()
  return (
    <Empty title={texts.noneTitle} text={texts.noneText}>
      <Button onClick={() => change({ text: undefined })}>{texts.clear}</Button>
    </Empty>
  )
}
