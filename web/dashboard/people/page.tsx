import { Button, SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { useSearchWords } from '../kit/address.tsx'
import { AsOf } from '../kit/as-of.tsx'
import type { ReplyOf } from '../kit/call.ts'
import { Card } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { Empty } from '../kit/empty.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useFormat } from '../kit/number.tsx'
import { Page } from '../kit/page.tsx'
import { type RowList, useRows } from '../kit/rows.ts'
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
  const total = useTotal(people)
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
          {total !== null && <Total count={total.count} isEstimated={total.isEstimated} at={total.at} />}
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
function useTotal({ first, readAt }: RowList<unknown, ReplyOf<'GET /api/v1/users'>>): TotalProps | null {
  const [total, setTotal] = useState<TotalProps | null>(null)
  const count = first?.count ?? null
  if (count !== null && (total?.count !== count || total.at !== readAt))
    setTotal({ count, isEstimated: first?.estimated === true, at: readAt })
  return total
}

type TotalProps = { readonly count: number; readonly isEstimated: boolean; readonly at: number }

function Total({ count, isEstimated, at }: TotalProps) {
  const texts = useTexts(PEOPLE_TEXTS)
  const format = useFormat()
  return (
    <>
      <b>{texts.total(count, format.count(count))}</b> · <AsOf at={at} isEstimated={isEstimated} />
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
