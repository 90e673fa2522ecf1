import { type StoppedModel, writeStoppedModels } from '#server/db/channels/stopped-models.ts'
import { bumpVersion } from '#server/db/engine/cached-value.ts'
import type { Database } from '#server/db/engine/database.ts'

interface ModelStop {
  readonly channelId: number
  readonly model: string
  /** All stopped models of the channel, with this one. */
  readonly stopped: readonly StoppedModel[]
}

/** Stores that a model is stopped and removes it from routing. The caller has locked the channel. */
export async function stopModel(tx: Database, { channelId, model, stopped }: ModelStop): Promise<void> {
  await tx
    .updateTable('channels')
    .set({ stopped_models: writeStoppedModels(stopped) })
    .where('id', '=', channelId)
    .execute()
  await tx
    .updateTable('abilities')
    .set({ enabled: 0 })
    .where('channel_id', '=', channelId)
    .where('model', '=', model)
    .execute()
  await bumpVersion(tx, 'channels')
}
