import type { Kysely } from 'kysely'

export type Engine = 'sqlite' | 'postgres'

/** One step of the schema, the same for both engines. A migration that has landed is never edited. */
export interface Migration {
  /** Sorts after every earlier one. */
  readonly name: string
  up(db: Kysely<unknown>, engine: Engine): Promise<void>
}
