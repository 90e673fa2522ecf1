import { type Database, inTransaction } from './database.ts'
import { bumpTopic } from './topics.ts'

const ENABLED = 1
const DISABLED_AUTOMATICALLY = 3

/** Takes an enabled channel out of routing. False when it was not enabled any more. */
export function disableChannelAutomatically(
  db: Database,
  channelId: number,
  { reason, atSeconds }: { readonly reason: string; readonly atSeconds: number },
): Promise<boolean> {
  return inTransaction(db, async tx => {
    const { numUpdatedRows } = await tx
      .updateTable('channels')
      .set({
        status: DISABLED_AUTOMATICALLY,
        other_info: JSON.stringify({ status_reason: reason, status_time: atSeconds }),
      })
      .where('id', '=', channelId)
      .where('status', '=', ENABLED)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) return false
    await tx.updateTable('abilities').set({ enabled: 0 }).where('channel_id', '=', channelId).execute()
    await bumpTopic(tx, 'channels')
    return true
  })
}
