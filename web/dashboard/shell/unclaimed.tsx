import { Link } from '../kit/address.tsx'
import { useMe } from '../kit/member.ts'
import { useTexts } from '../kit/texts.tsx'
import { SHELL_TEXTS } from './texts.ts'
import styles from './unclaimed.module.css'

/** Reminds the first administrator, who came by the link alone, that nothing but this session lets them in. */
export function Unclaimed() {
  const { data } = useMe()
  const texts = useTexts(SHELL_TEXTS)
  if (data?.member.is_placeholder !== true) return null
  return (
    <p className={styles.bar}>
      {texts.unclaimed.text} <Link to="/settings/account">{texts.unclaimed.set}</Link>
    </p>
  )
}
