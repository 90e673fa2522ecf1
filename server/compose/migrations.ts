import { baseMigrations } from '../db/migrations/list.ts'
import type { Migration } from '../db/migrations/migration.ts'
import type { Feature } from '../feature.ts'

/** Four digits that no other migration has, and what it does. */
const NAME = /^(\d{4})-[a-z0-9-]+$/

interface FoundMigration {
  readonly migration: Migration
  readonly file: string
}

/**
 * The migrations of the base and of all features by number. Throws when a name has no number, or two have the same one: the
 * message names the files and what to do.
 */
export function migrationsOf(features: ReadonlyMap<string, Feature>): readonly Migration[] {
  const found = [
    ...baseMigrations.map(migration => ({ migration, file: `server/db/migrations/${migration.name}.ts` })),
    ...[...features].flatMap(([folder, { migrations = [] }]) =>
      migrations.map(migration => ({
        migration,
        file: `features/${folder}/migrations/${migration.name}.ts`,
      })),
    ),
  ]
  requireNumbers(found)
  return found.map(({ migration }) => migration).toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

function requireNumbers(found: readonly FoundMigration[]): void {
  const files = new Map<string, string>()
  const highest = Math.max(...found.map(({ migration }) => Number.parseInt(migration.name, 10) || 0))
  const next = String(highest + 1).padStart(4, '0')
  for (const { migration, file } of found) {
    const [, number] = NAME.exec(migration.name) ?? []
    if (number === undefined)
      throw new Error(`${file}: the name of a migration is its number and what it does, such as ${next}-name`)
    const other = files.get(number)
    if (other !== undefined)
      throw new Error(`${other} and ${file} have the same number: give the one that has not landed ${next}`)
    files.set(number, file)
  }
}
