import { Button, Tooltip } from '@mantine/core'
import type { Snippet } from '../../client/api/templates.ts'
import { Link, useGo } from '../kit/address.tsx'
import { Card } from '../kit/card.tsx'
import { useMay } from '../kit/member.ts'
import { useRead, useWrite } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import { showUndo } from '../kit/undo-toast.tsx'
import styles from './template.module.css'
import { TEMPLATE_TEXTS } from './texts.ts'

const USERS_SHOWN = 50

/** The templates and snippets that render a snippet; undefined until they are known. */
function useUsers(name: string) {
  const query = { renders: name, limit: USERS_SHOWN }
  const { data: own } = useRead('GET /api/v1/templates', { query })
  const { data: others } = useRead('GET /api/v1/snippets', { query })
  if (own === undefined || others === undefined) return undefined
  return {
    links: [
      ...own.templates.map(({ template_id: id, name: label }) => ({ to: `/templates/${id}`, label })),
      ...others.snippets.map(({ name: label }) => ({ to: `/templates/snippets/${label}`, label })),
    ],
    hasMore: own.next_cursor !== null || others.next_cursor !== null,
  }
}

export function SnippetUsers({ name }: { readonly name: string }) {
  const { snippet } = useTexts(TEMPLATE_TEXTS)
  const users = useUsers(name)
  if (users === undefined) return null
  return (
    <Card title={snippet.usedBy}>
      {users.links.length === 0 && <p className="small quiet">{snippet.unused}</p>}
      <ul className={styles.names}>
        {users.links.map(({ to, label }) => (
          <li key={to}>
            <Link to={to}>{label}</Link>
          </li>
        ))}
        {users.hasMore && <li className="quiet">{snippet.more}</li>}
      </ul>
    </Card>
  )
}

/** Deletes the snippet. The same name and text can be made again, so it can be undone. */
export function DeleteSnippet({ snippet }: { readonly snippet: Snippet }) {
  const { snippet: texts } = useTexts(TEMPLATE_TEXTS)
  const go = useGo()
  const users = useUsers(snippet.name)
  const { name, text } = snippet
  const restore = useWrite('POST /api/v1/snippets', {
    refreshes: ['GET /api/v1/snippets', 'GET /api/v1/snippets/{name}'],
  })
  const remove = useWrite('DELETE /api/v1/snippets/{name}', {
    refreshes: ['GET /api/v1/snippets'],
    onDone: () => {
      go('/templates?show=snippets')
      showUndo({
        done: texts.removed(name),
        undo: texts.undo,
        onUndo: () => restore.mutate({ body: { name, text } }),
      })
    },
  })
  if (!useMay('push')) return null
  const isUsed = users === undefined || users.links.length > 0
  const button = (
    <Button
      c={isUsed ? 'var(--ink-3)' : 'var(--bad)'}
      // A button that is disabled for the browser shows no reason and takes no focus.
      aria-disabled={isUsed}
      data-disabled={isUsed}
      loading={remove.isPending}
      onClick={() => !isUsed && remove.mutate({ path: { name } })}
    >
      {texts.remove}
    </Button>
  )
  return isUsed ? <Tooltip label={texts.inUse}>{button}</Tooltip> : button
}
