import { useSearchWords } from '../kit/address.tsx'
import styles from '../kit/filter/filter.module.css'
import { WhereList } from '../kit/filter/where-list.tsx'
import { useAddressDraft } from './address-draft.ts'
import { type Asked, whereText, wholeOf } from './explore-question.ts'
import tools from './tools.module.css'

/**
 * Conditions on the events of a question. The address has those of which everything is said; a condition that is still being
 * written is the page's own.
 */
export function WhereChoice({ name, where }: Pick<Asked, 'name' | 'where'>) {
  const [, change] = useSearchWords()
  const [draft, setDraft] = useAddressDraft(where, {
    tellable: wholeOf,
    tell: (next) => change({ where: whereText(next) }),
  })
  return (
    <div className={`${styles.builder} ${tools.where}`}>
      <WhereList where={draft} event={name} onChange={setDraft} />
    </div>
  )
}
