import type { SourceRow } from '../../queries/source-database.ts'
import { text } from '../../read-values.ts'

/** Accounts that stand for teams, organisations and nobody have these before their ids. */
export const TEAM_PREFIX = 'team:'
export const ORGANISATION_PREFIX = 'organisation:'
export const NOBODY_PREFIX = 'keys:'

export const DEFAULT_GROUP = 'default'
/** Groups that have a meaning here. */
const RESERVED = [DEFAULT_GROUP, 'vip', 'svip', 'auto']
const NAME_LENGTH_MAX = 60

/** A group for each team and organisation under its name, with a number where two have the same. */
export function groupsByOwner(
  teams: ReadonlyMap<string, SourceRow>,
  organisations: ReadonlyMap<string, SourceRow>,
): ReadonlyMap<string, string> {
  const owners = [
    ...[...teams].map(([id, row]) => [TEAM_PREFIX + id, text(row, 'team_alias') || id] as const),
    ...[...organisations].map(
      ([id, row]) => [ORGANISATION_PREFIX + id, text(row, 'organization_alias') || id] as const,
    ),
  ]
  const taken = new Set(RESERVED)
  return new Map(
    owners.map(([owner, name]) => {
      const base = name.replaceAll(',', ' ').trim().slice(0, NAME_LENGTH_MAX) || owner
      let group = base
      for (let number = 2; taken.has(group); number += 1) group = `${base} ${number}`
      taken.add(group)
      return [owner, group]
    }),
  )
}
