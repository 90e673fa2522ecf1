import type { Facets } from '#contract/logs/logs.ts'
import type { Database } from '../../db/database.ts'
import type { Exclusions, LogFilter } from '../../db/log-filter.ts'
import {
  countByValues,
  type FacetColumn,
  type FacetRow,
  type NamedTable,
  findNames,
} from '../../db/usage-reads.ts'
import type { Wanted } from './filter-of.ts'
import type { Viewer } from './log-view.ts'
import { touchedHours } from './range.ts'

const VALUES_MAX = 50

/** The values that can be chosen in each filter: what the other filters leave, with the number of rows. */
export async function facetsOf(db: Database, { filter, range }: Wanted, viewer: Viewer): Promise<Facets> {
  const isAdmin = viewer === 'admin'
  const found = await countByValues(db, {
    facets: FREED.filter(([column]) => isAdmin || !ADMINS_ONLY.has(column)).map(([column, freed, kept]) => ({
      column,
      filter: { ...filter, ...freed, without: { ...filter.exclude, ...kept } },
    })),
    range: touchedHours(range),
    limit: VALUES_MAX,
  })
  const rowsOf = (column: FacetColumn) => found.get(column) ?? []
  const [tokens, channels, users] = await Promise.all([
    withNames(db, 'tokens', rowsOf('token_id')),
    withNames(db, 'channels', rowsOf('channel_id')),
    withNames(db, 'users', rowsOf('user_id')),
  ])
  return {
    models: plain(rowsOf('model_name')),
    groups: plain(rowsOf('group')),
    types: plain(rowsOf('type')),
    tokens,
    channels,
    users,
  }
}

type Freed = readonly [FacetColumn, Partial<LogFilter>, Partial<Exclusions>]

/** Each column, and what of its own does not narrow it. */
const FREED: readonly Freed[] = [
  ['model_name', { models: [] }, { models: [] }],
  ['group', { group: '' }, { groups: [] }],
  ['type', { types: [] }, { types: [] }],
  ['token_id', { tokenIds: undefined }, { tokenIds: [], playgroundGroups: [] }],
  ['channel_id', { channelId: 0 }, { channelIds: [] }],
  ['user_id', { userIds: undefined }, { userIds: [] }],
]
const ADMINS_ONLY: ReadonlySet<FacetColumn> = new Set(['channel_id', 'user_id'])

const plain = (rows: readonly FacetRow[]) =>
  rows.filter(({ value }) => value !== '').map(({ value, count }) => ({ value, count }))

/** Rows without a name (no token, a channel that is gone) cannot be chosen by name and are left out. */
async function withNames(db: Database, table: NamedTable, rows: readonly FacetRow[]) {
  const names = await findNames(
    db,
    table,
    rows.map(({ value }) => Number(value)),
  )
  return rows.flatMap(({ value, count }) => {
    const name = names.get(Number(value))
    return name === undefined ? [] : [{ id: Number(value), value: name, count }]
  })
}
