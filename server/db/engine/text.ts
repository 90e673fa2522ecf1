import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'

/** Whether a text column contains the given part in any case. `%` and `_` in the part have no special meaning. */
export const contains = (column: Expression<string>, part: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`lower(${column}) like ${`%${escapeLikePattern(part.toLowerCase())}%`} escape '\\'`

/** Whether a comma-separated list contains the given entry. */
export const listContains = (column: Expression<string>, entry: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`',' || ${column} || ',' like ${`%,${escapeLikePattern(entry)},%`} escape '\\'`

const escapeLikePattern = (text: string): string => text.replace(/[\\%_]/g, letter => `\\${letter}`)

/** PostgreSQL rejects the character NUL in a text, and texts of clients and upstreams may contain it. */
export const withoutNul = (text: string): string => (text.includes('\0') ? text.replaceAll('\0', '') : text)
