import type { Migration } from './migration.ts'

/** From which device and address a session is used, and when it was last. */
export const sessionUse: Migration = {
  name: '0049-session-use',
  async up(db) {
    const sessions = () => db.schema.alterTable('sessions')
    for (const column of ['device', 'address'])
      await sessions()
        .addColumn(column, 'text', c => c.notNull().defaultTo(''))
        .execute()
    await sessions()
      .addColumn('used_at', 'bigint', c => c.notNull().defaultTo(0))
      .execute()
  },
}
