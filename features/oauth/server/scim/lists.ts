import SCIMMY from 'scimmy'
import { countResources, listScimGroups, listScimUsers, ROWS_AT_ONCE, type ScimLookup } from './queries.ts'
import { type ScimContext, scimError, toScimGroup, toScimUser } from './resources.ts'

export const COUNT_MAX = 200
/** Filters that no index answers read every row; providers look up by the names below. */
const SCANNED_MAX = 100_000

export interface ScimQuery {
  readonly filter?: string
  readonly startIndex: number
  readonly count: number
}

interface ScimList {
  readonly totalResults: number
  readonly resources: readonly object[]
}

const COLUMNS: Readonly<Record<string, ScimLookup['column']>> = {
  id: 'id',
  username: 'user_name',
  externalid: 'external_id',
  displayname: 'display_name',
}
const LOOKUPS = {
  Users: ['id', 'user_name', 'external_id'],
  Groups: ['id', 'display_name', 'external_id'],
} as const satisfies Readonly<Record<string, readonly ScimLookup['column'][]>>
const EQUALS = /^\s*(?<name>[a-z]+)\s+eq\s+"(?<value>[^"\\]*)"\s*$/i

/** The library reads it as a comparison with an undefined value. */
const INCOMPLETE = /\s(?:eq|ne|co|sw|ew|gt|lt|ge|le)\s*$/i

export type ScimKind = keyof typeof LOOKUPS

/** The lookup of a filter such as `userName eq "ann"`, which an index answers. */
function toLookup(kind: ScimKind, filter: string): ScimLookup | undefined {
  const { name = '', value = '' } = EQUALS.exec(filter)?.groups ?? {}
  const column = COLUMNS[name.toLowerCase()]
  if (!column || !LOOKUPS[kind].some(known => known === column)) return undefined
  return { column, value: column === 'user_name' ? value.toLowerCase() : value }
}

async function readPage(
  kind: ScimKind,
  page: { offset: number; limit: number; lookup?: ScimLookup | undefined },
  context: ScimContext,
): Promise<readonly object[]> {
  const {
    db,
    provider: { slug },
  } = context
  if (kind === 'Users') return (await listScimUsers(db, slug, page)).map(toScimUser)
  return Promise.all((await listScimGroups(db, slug, page)).map(row => toScimGroup(row, context)))
}

/** One page of the resources that match, with the number of all of them. */
export async function listResources(
  kind: ScimKind,
  { filter, startIndex, count }: ScimQuery,
  context: ScimContext,
): Promise<ScimList> {
  const offset = startIndex - 1
  if (filter === undefined) {
    const table = kind === 'Users' ? 'scim_users' : 'scim_groups'
    const totalResults = await countResources(context.db, table, context.provider.slug)
    const resources = count === 0 ? [] : await readPage(kind, { offset, limit: count }, context)
    return { totalResults, resources }
  }
  if (INCOMPLETE.test(filter)) throw scimError(400, 'invalidFilter', 'the filter compares with nothing')
  const lookup = toLookup(kind, filter)
  const matches = lookup
    ? await readPage(kind, { offset: 0, limit: COUNT_MAX, lookup }, context)
    : await scan(kind, new SCIMMY.Types.Filter(filter), context)
  return { totalResults: matches.length, resources: matches.slice(offset, offset + count) }
}

/** Compares all rows, a page at a time. */
async function scan(kind: ScimKind, filter: { match(values: object[]): object[] }, context: ScimContext) {
  const matches: object[] = []
  for (let offset = 0; offset < SCANNED_MAX; offset += ROWS_AT_ONCE) {
    const rows = await readPage(kind, { offset, limit: ROWS_AT_ONCE }, context)
    matches.push(...filter.match([...rows]))
    if (rows.length < ROWS_AT_ONCE) break
  }
  return matches
}
