import { z } from 'zod'

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
