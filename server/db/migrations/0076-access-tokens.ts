import type { Migration } from './migration.ts'

/** Access tokens of the management API end with the sessions of their user, so they are rows of the same table. */
export const accessTokens: Migration = {
  name: '0076-access-tokens',
  async up(db) {
    const sessions = () => db.schema.alterTable('sessions')
    await sessions().addColumn('scopes', 'text').execute()
    for (const column of ['name', 'ips'])
      await sessions()
        .addColumn(column, 'text', c => c.notNull().defaultTo(''))
        .execute()
  },
}
