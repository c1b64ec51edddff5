import type { ParseSetting } from './setting.ts'

/** One row of the table of settings. `unset` is the text in the docs for a default that is computed. */
type Setting<Value> = {
  readonly name: string
  readonly parse: ParseSetting<Value>
  readonly default: Value
  readonly unset?: string
  readonly meaning: string
}

/** Reads one setting: its value, or its default. */
export type Read = <Value>(setting: Setting<Value>) => Value

/** A setting as docs and help show it. */
export type SettingText = { readonly name: string; readonly default: string; readonly meaning: string }
