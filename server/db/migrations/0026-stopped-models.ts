import type { Migration } from './migration.ts'

/** The models that the gateway took out of a channel because they were sold below cost. */
export const stoppedModels: Migration = {
  name: '0026-stopped-models',
  async up(db) {
    await db.schema
      .alterTable('channels')
      .addColumn('stopped_models', 'text', c => c.notNull().defaultTo(''))
      .execute()
  },
}
