import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'
import { useSearchWords } from '../kit/address.tsx'
import styles from '../kit/filter/filter.module.css'
import { WhereList } from '../kit/filter/where-list.tsx'
import type { Written } from '../kit/filter/written.ts'
import { TYPING_MS } from '../kit/typing.ts'
import { type Asked, whereText, wholeOf } from './explore-question.ts'
import tools from './tools.module.css'

/**
 * Conditions on the events of a question. The address has those of which everything is said; a condition that is still being
 * written is the page's own.
 */
export function WhereChoice({ name, where }: Pick<Asked, 'name' | 'where'>) {
  const [, change] = useSearchWords()
  const [draft, setDraft] = useState(where)
  const ask = useDebouncedCallback(
    (next: readonly Written[]) => change({ where: whereText(wholeOf(next)) }),
    TYPING_MS,
  )
  return (
    <div className={`${styles.builder} ${tools.where}`}>
      <WhereList
        where={draft}
        event={name}
        onChange={(next) => {
          setDraft(next)
          ask(next)
        }}
      />
    </div>
  )
}
