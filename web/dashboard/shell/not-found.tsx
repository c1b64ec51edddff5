import { Button } from '@mantine/core'
import { useGo } from '../kit/address.tsx'
import { Empty } from '../kit/empty.tsx'
import { useTexts } from '../kit/texts.tsx'
import { SHELL_TEXTS } from './texts.ts'

export function NotFound() {
  const { notFound } = useTexts(SHELL_TEXTS)
  const go = useGo()
  return (
    <Empty title={notFound.title} text={notFound.text}>
      <Button onClick={() => go('/')}>{notFound.home}</Button>
    </Empty>
  )
}
