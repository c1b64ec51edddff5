import { type CustomTypesConfig, types } from 'pg'
import { parseJson } from '../domain/values/json.ts'
import { parseInstant } from './instant-text.ts'

/** int8 is a bigint, an instant is milliseconds, JSON keeps its integers; every other type is read as `pg` reads it. */
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  [types.builtins.INT8]: BigInt,
  [types.builtins.TIMESTAMPTZ]: parseInstant,
  [types.builtins.JSON]: parseJson,
  [types.builtins.JSONB]: parseJson,
  [types.builtins.DATE]: (text) => text,
}

export const COLUMN_TYPES: CustomTypesConfig = {
  getTypeParser: (oid, format) => PARSERS[oid] ?? types.getTypeParser(oid, format),
}
