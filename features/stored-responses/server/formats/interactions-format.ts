import { InteractionCollector } from '#server/dialects/interactions/collect-events.ts'
import { interactionId } from '#server/dialects/interactions/reply.ts'
import { isOwnInteractionId, readSteps, toInputSteps } from '#server/dialects/interactions/stored-steps.ts'
import { asArray, asObject, asString, isObject } from '#server/provider-kit/json.ts'
import type { StoredEvents, StoredFormat } from './stored-format.ts'

const events: StoredEvents = {
  responseOf: event => asObject(event.interaction),
  toStarted: interaction => ({ ...interaction, status: 'in_progress', steps: [] }),
  toNumbered: (event, number, id) => ({
    ...event,
    event_id: String(number),
    ...(isObject(event.interaction) && { interaction: { ...event.interaction, id } }),
    ...(event.interaction_id !== undefined && { interaction_id: id }),
  }),
  numberOf: event => Number(event.event_id),
  write: event => `event: ${String(event.event_type)}\ndata: ${JSON.stringify(event)}\n\n`,
  end: 'event: done\ndata: [DONE]\n\n',
  toFailed: (interaction, error) => ({ ...interaction, status: 'failed', errors: [error] }),
  toLastEvent: ({ steps: _, ...interaction }) =>
    interaction.status === 'failed'
      ? { event_type: 'error', error: asArray(interaction.errors)[0] }
      : { event_type: 'interaction.completed', interaction },
  createCollector: () => new InteractionCollector(),
  isCollected: true,
  afterParam: 'last_event_id',
}

/** Google's Interactions API. */
export const interactionsFormat: StoredFormat = {
  dialect: 'interactions',
  toId: interactionId,
  isOwnId: isOwnInteractionId,
  previousField: 'previous_interaction_id',
  readReferences({ previous_interaction_id }) {
    const id = asString(previous_interaction_id)
    return {
      previousId: id && isOwnInteractionId(id) ? id : undefined,
      itemIds: [],
      conversationId: undefined,
    }
  },
  toInputItems: toInputSteps,
  toInputAgain: steps => steps,
  toListedItems: steps => steps,
  readOutput: readSteps,
  toEchoedFields: ({ previousId }) =>
    previousId === undefined ? {} : { previous_interaction_id: previousId },
  events,
}
