import { z } from 'zod'
import { bumpVersion } from '../engine/cached-value.ts'
import type { Database } from '../engine/database.ts'

/** A model of a channel that the gateway took out of routing, as the channel's row stores it. */
export type StoppedModel = z.infer<typeof StoppedModel>
const StoppedModel = z.object({
  /** As in the channel's list of models. */
  model: z.string(),
  /** In both languages. */
  reason: z.string(),
  /** Unix seconds. */
  stopped_at: z.number(),
})
const StoppedModels = z.array(StoppedModel)

export const readStoppedModels = (column: string): readonly StoppedModel[] =>
  column === '' ? [] : StoppedModels.parse(JSON.parse(column))

export const writeStoppedModels = (stopped: readonly StoppedModel[]): string =>
  stopped.length === 0 ? '' : JSON.stringify(stopped)

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
