import type { Migration } from '#server/db/migrations/migration.ts'

/** Tokens that a token has made within its limits. */
export const childTokens: Migration = {
  name: '0077-child-tokens',
  async up(db) {
    await db.schema
      .createTable('child_tokens')
      .addColumn('token_id', 'bigint', c => c.primaryKey().references('tokens.id').onDelete('cascade'))
      .addColumn('parent_id', 'bigint', c => c.notNull().references('tokens.id').onDelete('cascade'))
      .addColumn('taken', 'bigint', c => c.notNull())
      .addColumn('ended_at', 'bigint', c => c.notNull().defaultTo(0))
      .execute()
    await db.schema.createIndex('child_tokens_parent').on('child_tokens').column('parent_id').execute()
    await db.schema.createIndex('child_tokens_ended').on('child_tokens').column('ended_at').execute()
  },
}
