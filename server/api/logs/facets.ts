import type { Facets } from '#contract/logs.ts'
import type { Database } from '../../db/database.ts'
import type { LogFilter } from '../../db/log-filter.ts'
import {
  countByValue,
  type FacetColumn,
  type FacetRow,
  type NamedTable,
  namesOf,
} from '../../db/usage-reads.ts'
import type { Wanted } from './filter-of.ts'
import type { Viewer } from './log-view.ts'
import { touchedHours } from './range.ts'

const VALUES_MAX = 50

/** The values that can be chosen in each filter: what the other filters leave, with the number of rows. */
export async function facetsOf(db: Database, { filter, range }: Wanted, viewer: Viewer): Promise<Facets> {
  const span = touchedHours(range)
  const count = (column: FacetColumn, freed: Partial<LogFilter>): Promise<FacetRow[]> =>
    countByValue(db, { ...filter, ...freed }, { column, span, limit: VALUES_MAX })
  const named = async (table: NamedTable, column: FacetColumn, freed: Partial<LogFilter>) =>
    withNames(db, table, await count(column, freed))
  const isAdmin = viewer === 'admin'
  const [models, groups, types, tokens, channels, users] = await Promise.all([
    count('model_name', { models: [] }),
    count('group', { group: '' }),
    count('type', { types: [] }),
    named('tokens', 'token_id', { tokenIds: undefined }),
    isAdmin ? named('channels', 'channel_id', { channelId: 0 }) : [],
    isAdmin ? named('users', 'user_id', { userIds: undefined }) : [],
  ])
  return { models: plain(models), groups: plain(groups), types: plain(types), tokens, channels, users }
}

const plain = (rows: readonly FacetRow[]) =>
  rows.filter(({ value }) => value !== '').map(({ value, count }) => ({ value: String(value), count }))

/** Rows without a name (no token, a channel that is gone) cannot be chosen by name and are left out. */
async function withNames(db: Database, table: NamedTable, rows: readonly FacetRow[]) {
  const names = await namesOf(
    db,
    table,
    rows.map(({ value }) => Number(value)),
  )
  return rows.flatMap(({ value, count }) => {
    const name = names.get(Number(value))
    return name === undefined ? [] : [{ id: Number(value), value: name, count }]
  })
}
