import { Button, SegmentedControl } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { User } from '../../client/api/profiles.ts'
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
import { OptOuts } from './opt-outs.tsx'
import styles from './page.module.css'
import { PeopleList } from './people-list.tsx'
import { PEOPLE_TEXTS } from './texts.ts'

const SORTS = ['newest', 'oldest'] as const
const SHOWS = [...SORTS, 'opted-out'] as const

/** Finds anybody: by the first letters of any identifier, the newest first, or those who opted out. */
export function PeoplePage() {
  const texts = useTexts(PEOPLE_TEXTS)
  const [words] = useSearchWords()
  const search = words['q'] ?? ''
  const isOptOuts = search === '' && words['show'] === 'opted-out'
  const sort = SORTS.find((name) => name === words['sort']) ?? 'newest'
  const query = search === '' ? { sort, limit: PAGE_ROWS } : { search, limit: PAGE_ROWS }
  const people = useRows('GET /api/v1/users', { query }, { rowsOf: usersOf, isEnabled: !isOptOuts })
  const total = useTotal(people)
  const curl = isOptOuts ? (
    <CopyCurl endpoint="GET /api/v1/opt_outs" input={{}} />
  ) : (
    <CopyCurl endpoint="GET /api/v1/users" input={{ query }} />
  )
  return (
    <Page title={texts.title} actions={curl}>
      <Tools shown={isOptOuts ? 'opted-out' : sort}>
        <span className={styles.count} aria-live="polite">
          {!isOptOuts && total !== null && <Total {...total} />}
        </span>
      </Tools>
      {isOptOuts ? (
        <OptOuts />
      ) : (
        <Card inset="flush">
          {people.error !== null && <FailureNote error={people.error} onRetry={people.retry} />}
          <PeopleList list={people} empty={<NobodyHere isSearch={search !== ''} />} />
        </Card>
      )}
    </Page>
  )
}

type ToolsProps = { readonly shown: (typeof SHOWS)[number]; readonly children: ReactNode }

/** The search, and what is listed without one. */
function Tools({ shown, children }: ToolsProps) {
  const texts = useTexts(PEOPLE_TEXTS)
  const [words, change] = useSearchWords()
  const search = words['q'] ?? ''
  const choose = (name: string): void =>
    name === 'opted-out'
      ? change({ show: name, sort: undefined })
      : change({ show: undefined, since: undefined, sort: name })
  return (
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
          value={shown}
          onChange={choose}
          data={SHOWS.map((name) => ({ value: name, label: texts.sorts[name] }))}
        />
      )}
      {children}
    </div>
  )
}

const PAGE_ROWS = 100

function usersOf({ users }: ReplyOf<'GET /api/v1/users'>): readonly User[] {
  return users
}

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
