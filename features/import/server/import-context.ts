import type { Options } from '#contract/options/define-option.ts'
import type { Secrets } from '#server/core/crypto.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { Engine } from '#server/db/migrations/migration.ts'
import type { Registry } from '#server/providers/registry.ts'

/** What all writers need. */
export interface ImportContext {
  readonly db: Database
  readonly engine: Engine
  readonly secrets: Secrets
  readonly registry: Pick<Registry, 'byType'>
  /** All system options of this gateway. */
  readonly options: Options
  /** Of a super administrator that the import makes; a random one by default. */
  readonly rootPassword?: string | undefined
  /** The other installation, under which its rows are remembered. */
  readonly source: string
  /** Names the other gateway in postings. */
  readonly program: string
}

/** A row on its way into a table. */
export interface ImportedRow<Imported> {
  readonly sourceId: string
  readonly record: Imported
  /** Says that the row came, as which row here, and what the operator should look at. */
  readonly accept: (id: number, ...notes: readonly string[]) => void
  readonly skip: (reason: string) => void
}

/** Writes a batch in the given transaction, and says of each row whether it came. */
export type WriteBatch<Imported> = (
  tx: Database,
  rows: readonly ImportedRow<Imported>[],
  context: ImportContext,
) => Promise<void>
