import { Button, SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { useSearchWords } from '../kit/address.tsx'
import type { ReplyOf } from '../kit/call.ts'
import { Card } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { Empty } from '../kit/empty.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { KIT_TEXTS } from '../kit/kit-texts.ts'
import { useFormat } from '../kit/number.tsx'
import { Page } from '../kit/page.tsx'
import { useRows } from '../kit/rows.ts'
import { SearchField } from '../kit/search-field.tsx'
import { useTexts } from '../kit/texts.tsx'
import styles from './page.module.css'
import { PeopleList } from './people-list.tsx'
import { PEOPLE_TEXTS } from './texts.ts'

const SORTS = ['newest', 'oldest'] as const

/** Finds anybody: by the first letters of any identifier, or the newest first. */
export function PeoplePage() {
  const texts = useTexts(PEOPLE_TEXTS)
  const [words, change] = useSearchWords()
  const search = words['q'] ?? ''
  const sort = SORTS.find((name) => name === words['sort']) ?? 'newest'
  const query = search === '' ? { sort, limit: PAGE_ROWS } : { search, limit: PAGE_ROWS }
  const people = useRows('GET /api/v1/users', { query }, { rowsOf: ({ users }) => users })
  const total = useTotal(people.first)
  return (
    <Page title={texts.title} actions={<CopyCurl endpoint="GET /api/v1/users" input={{ query }} />}>
      <div className={styles.tools}>
        <SearchField
          className={styles.search}
          label={texts.search}
          hint={texts.searchHint}
          value={search}
          onChange={(q) => change({ q })}
        />
        {search === '' && (
          <SegmentedControl
            aria-label={texts.sort}
            value={sort}
            onChange={(chosen) => change({ sort: chosen })}
            data={SORTS.map((name) => ({ value: name, label: texts.sorts[name] }))}
          />
        )}
        <span className={styles.count} aria-live="polite">
          <Total count={total?.count ?? null} isEstimated={total?.estimated === true} />
        </span>
      </div>
      <Card inset="flush">
        {people.error !== null && <FailureNote error={people.error} onRetry={people.retry} />}
        <PeopleList list={people} empty={<NobodyHere isSearch={search !== ''} />} />
      </Card>
    </Page>
  )
}

const PAGE_ROWS = 100

/** The number of all of them comes with the first page, which may be out of sight. */
function useTotal(first: ReplyOf<'GET /api/v1/users'> | undefined) {
  const [total, setTotal] = useState(first)
  if (first !== undefined && first !== total) setTotal(first)
  return first ?? total
}

function Total({ count, isEstimated }: { readonly count: number | null; readonly isEstimated: boolean }) {
  const texts = useTexts(PEOPLE_TEXTS)
  const kit = useTexts(KIT_TEXTS)
  const format = useFormat()
  if (count === null) return null
  return (
    <>
      <b>{texts.total(count, format.count(count))}</b> · {isEstimated ? kit.estimated : kit.exact}
    </>
  )
}

function NobodyHere({ isSearch }: { readonly isSearch: boolean }) {
  const texts = useTexts(PEOPLE_TEXTS)
  if (isSearch) return <Empty title={texts.noneTitle} text={texts.noneText} />
  return (
    <Empty title={texts.emptyTitle} text={texts.emptyText}>
      <Button component="a" href="/docs">
        {texts.guide}
      </Button>
    </Empty>
  )
}
