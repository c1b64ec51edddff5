import { TextInput } from '@mantine/core'
import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs'
import { Icon } from './icon.tsx'
import { useTyped } from './typing.ts'

type SearchFieldProps = {
  readonly label: string
  readonly hint: string
  readonly value: string
  readonly onChange: (text: string) => void
  readonly className?: string | undefined
}

/** The search of a list. Its text belongs in the address. */
export function SearchField({ label, hint, value, onChange, className }: SearchFieldProps) {
  return (
    <TextInput
      {...useTyped({ value, onChange })}
      className={className}
      aria-label={label}
      placeholder={hint}
      leftSection={<Icon of={IconSearch} />}
      type="search"
      maxLength={100}
    />
  )
}
