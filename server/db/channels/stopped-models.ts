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

const Entries = z.array(z.unknown())

/** Without entries that cannot be read: a model that is routed again is better than a channel that is lost. */
export function readStoppedModels(column: string): readonly StoppedModel[] {
  return entriesOf(column || '[]').flatMap(entry => StoppedModel.safeParse(entry).data ?? [])
}

function entriesOf(json: string): readonly unknown[] {
  try {
    return Entries.parse(JSON.parse(json))
  } catch {
    return []
  }
}

export const writeStoppedModels = (stopped: readonly StoppedModel[]): string =>
  stopped.length === 0 ? '' : JSON.stringify(stopped)
