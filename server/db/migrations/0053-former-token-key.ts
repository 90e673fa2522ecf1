import type { Migration } from './migration.ts'

/** The key that a token had before, valid beside the new one until a time. */
export const formerTokenKey: Migration = {
  name: '0053-former-token-key',
  async up(db) {
    const tokens = () => db.schema.alterTable('tokens')
    await tokens().addColumn('former_key_hash', 'text').execute()
    await tokens()
      .addColumn('former_key_until', 'bigint', c => c.notNull().defaultTo(0))
      .execute()
    await db.schema.createIndex('tokens_former_key').on('tokens').column('former_key_hash').execute()
  },
}
