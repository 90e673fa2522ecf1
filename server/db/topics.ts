import { sql } from 'kysely'
import type { Database } from './database.ts'

/** What processes keep in memory and read again when it changes. */
export type Topic = 'options' | 'channels'

/** Says that the subject has changed. Call it in the transaction of the change. */
export async function bumpTopic(tx: Database, topic: Topic): Promise<void> {
  await tx
    .insertInto('topics')
    .values({ topic, version: 1 })
    .onConflict(conflict => conflict.column('topic').doUpdateSet({ version: sql`topics.version + 1` }))
    .execute()
}

/** 0 for a subject that never changed. */
export async function readTopicVersion(db: Database, topic: Topic): Promise<number> {
  const row = await db.selectFrom('topics').select('version').where('topic', '=', topic).executeTakeFirst()
  return row?.version ?? 0
}
