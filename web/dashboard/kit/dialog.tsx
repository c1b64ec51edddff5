import { Modal, type ModalProps } from '@mantine/core'
import { KIT_TEXTS } from './kit-texts.ts'
import { useTexts } from './texts.tsx'

/** A dialog whose cross has a name for a screen reader. */
export function Dialog(props: ModalProps) {
  const { close } = useTexts(KIT_TEXTS)
  return <Modal closeButtonProps={{ 'aria-label': close }} {...props} />
}
