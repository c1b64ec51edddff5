import { useDebouncedValue } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import type { Campaign } from '../../client/api/campaigns.ts'
import { BeckonUnreachable } from '../../client/failure.ts'
import { encodeJson } from '../../client/json.ts'
import { useGo } from '../kit/address.tsx'
import { call } from '../kit/call.ts'
import { refresh } from '../kit/queries.ts'
import { useReturn } from '../kit/reach.ts'
import { useWish } from '../kit/wish.ts'
import { isAudienceChosen } from './audience.ts'
import { documentOf, newDocumentOf } from './document.ts'
import { type Draft, isComplete } from './draft.ts'

export type Composer = {
  readonly draft: Draft
  readonly change: (changes: Partial<Draft>) => void
  /** The stored campaign; null as long as nothing is stored. */
  readonly saved: Campaign | null
  readonly savedAt: Date | null
  readonly error: Error | null
  /** Whether what is stored is what is on the page. */
  readonly isSaved: boolean
  /** Tries to store again what was refused. */
  readonly retry: () => void
}

/** How long one may think between two keystrokes before they are stored. */
const PAUSE_MS = 450

type Start = {
  readonly draft: Draft
  readonly saved: Campaign | null
  readonly canSave: boolean
  /** Told the id of a new draft, before the address changes. */
  readonly onBorn: (id: string) => void
}

/** A draft that stores itself, a moment after each change. Changes go one after the other, each with the last version. */
export function useComposer(start: Start): Composer {
  const go = useGo()
  const { onBorn } = start
  const [draft, setDraft] = useState(start.draft)
  const [saved, setSaved] = useState(start.saved)
  const [savedAt, setSavedAt] = useState<Date | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const [tries, setTries] = useState(0)
  const stored = useRef(start.saved === null ? '' : encodeJson(documentOf(start.draft)))
  const isBusy = useRef(false)
  const refused = useRef('')
  const text = encodeJson(documentOf(draft))
  const [calm] = useDebouncedValue(text, PAUSE_MS)
  const wish = useWish<Campaign>()
  const isReady = start.canSave && isComplete(draft) && isAudienceChosen(draft.audience)

  useEffect(() => {
    if (!isReady || isBusy.current || calm !== text) return
    if (text === stored.current || text === refused.current) return
    const store = async (): Promise<void> => {
      try {
        const campaign = await wish({ text }, async (key) => save(saved, draft, key))
        stored.current = text
        setSaved(campaign)
        setSavedAt(new Date())
        setError(null)
        if (saved === null) {
          onBorn(String(campaign.campaign_id))
          go(`/compose/${campaign.campaign_id}`, 'replace')
        }
      } catch (failure) {
        refused.current = text
        setError(failure instanceof Error ? failure : new Error(String(failure)))
      }
      isBusy.current = false
      await refresh(...OUTDATED)
    }
    isBusy.current = true
    void store()
  }, [calm, text, isReady, saved, draft, go, onBorn, tries])

  const retry = (): void => {
    refused.current = ''
    setTries((count) => count + 1)
  }
  useReturn(() => {
    if (error instanceof BeckonUnreachable) retry()
  })
  return {
    draft,
    saved,
    savedAt,
    error,
    change: (changes) => setDraft((before) => ({ ...before, ...changes })),
    isSaved: saved !== null && stored.current === text,
    retry,
  }
}

/** The reads that a stored change of the draft makes outdated. */
const OUTDATED = [
  'POST /api/v1/campaigns/{campaign_id}/dry_run',
  'POST /api/v1/campaigns/{campaign_id}/explain',
  'GET /api/v1/campaigns/{campaign_id}/audience',
  'GET /api/v1/campaigns',
] as const

async function save(saved: Campaign | null, draft: Draft, idempotencyKey: string): Promise<Campaign> {
  if (saved === null) {
    const body = Object(newDocumentOf(draft))
    return (await call('POST /api/v1/campaigns', { body }, { idempotencyKey })).campaign
  }
  const path = { campaign_id: String(saved.campaign_id) }
  const body = Object({ ...documentOf(draft), version: saved.version })
  return (await call('PATCH /api/v1/campaigns/{campaign_id}', { path, body }, { idempotencyKey })).campaign
}
