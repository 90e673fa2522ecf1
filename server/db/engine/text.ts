import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'

/** Whether a text column holds the given part, whatever the case. The part's own `%` and `_` are ordinary letters. */
export const contains = (column: Expression<string>, part: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`lower(${column}) like ${`%${escapeLikePattern(part.toLowerCase())}%`} escape '\\'`

/** Whether a comma list holds the given entry. */
export const listContains = (column: Expression<string>, entry: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`',' || ${column} || ',' like ${`%,${escapeLikePattern(entry)},%`} escape '\\'`

const escapeLikePattern = (text: string): string => text.replace(/[\\%_]/g, letter => `\\${letter}`)
