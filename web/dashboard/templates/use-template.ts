import { useState } from 'react'
import type { Template } from '../../client/api/templates.ts'
import { encodeJson } from '../../client/json.ts'
import { nameOf } from '../compose/document.ts'
import { type Draft, newDraft } from '../compose/draft.ts'
import { type TemplateWords, templateContentOf, withWords } from '../compose/template-content.ts'
import { useGo } from '../kit/address.tsx'
import { useWrite } from '../kit/queries.ts'

const READS = [
  'GET /api/v1/templates',
  'GET /api/v1/templates/{template_id}',
  'GET /api/v1/templates/{template_id}/versions',
] as const

/** The template as it stands on the page, and the call that saves it. */
export function useTemplate(template: Template | null) {
  const go = useGo()
  const [draft, setDraft] = useState(() => draftOf(template))
  const create = useWrite('POST /api/v1/templates', {
    refreshes: READS,
    onDone: ({ template: made }) => go(`/templates/${made.template_id}`, 'replace'),
  })
  const patch = useWrite('PATCH /api/v1/templates/{template_id}', { refreshes: READS })
  const body = bodyOf(draft)
  const { isPending, isSuccess, error } = template === null ? create : patch
  return {
    draft,
    change: (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes })),
    /** Puts the words of an older version on the page. */
    bring: (words: TemplateWords) => setDraft((before) => withWords(before, words)),
    body,
    isChanged: encodeJson(body) !== encodeJson(bodyOf(draftOf(template))),
    isPending,
    isSaved: isSuccess,
    error,
    save: () => {
      if (template === null) return create.mutate({ body })
      const path = { template_id: String(template.template_id) }
      patch.mutate({ path, body: { ...body, version: template.version } })
    },
  }
}

const NOBODY = { person: '', segment: '' } as const

function draftOf(template: Template | null): Draft {
  const empty = newDraft(NOBODY)
  return template === null ? empty : { ...withWords(empty, template), name: template.name }
}

function bodyOf(draft: Draft) {
  return { name: nameOf(draft), content: templateContentOf(draft), platforms: draft.platforms }
}
