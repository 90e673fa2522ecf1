import { sql } from 'kysely'
import type { Migration } from './migration.ts'

const COLUMNS = ['email', 'github_id', 'linux_do_id', 'wechat_id', 'telegram_id'] as const

/** An address and an identity at another party lead to one account each. Two sign-ins at once cannot make two. */
export const oneAccountEach: Migration = {
  name: '0002-one-account-each',
  async up(db) {
    for (const column of COLUMNS) {
      await db.schema.dropIndex(`users_${column}`).execute()
      await db.schema
        .createIndex(`users_${column}`)
        .unique()
        .on('users')
        .column(column)
        .where(sql.ref(column), '!=', '')
        .execute()
    }
  },
}
