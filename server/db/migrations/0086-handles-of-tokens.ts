import type { Migration } from './migration.ts'

/** The restricted token that alone may refer to a handle. */
export const handlesOfTokens: Migration = {
  name: '0086-handles-of-tokens',
  async up(db) {
    await db.schema.alterTable('account_handles').addColumn('token_id', 'bigint').execute()
  },
}
