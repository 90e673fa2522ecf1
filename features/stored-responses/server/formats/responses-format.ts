import { isOwnResponseId, toResponseId } from '#server/dialects/responses/stored-ids.ts'
import {
  readConversationId,
  readStoredReferences,
  toInputAgain,
  toInputItems,
  toListedItems,
} from '#server/dialects/responses/stored-items.ts'
import { asArray, asObject, isObject, type JsonObject } from '#server/provider-kit/json.ts'
import type { ResponseCollector } from '#server/relay/hooks.ts'
import type { StoredEvents, StoredFormat } from './stored-format.ts'

/** Each event that has a response has all of it. */
function createCollector(): ResponseCollector {
  let response: JsonObject | undefined
  return {
    get response() {
      return response
    },
    add(event) {
      if (isObject(event.response)) response = event.response
    },
  }
}

const events: StoredEvents = {
  responseOf: event => asObject(event.response),
  toStarted: response => ({ ...response, status: 'queued', background: true }),
  toNumbered: (event, sequence_number, id) => ({
    ...event,
    sequence_number,
    ...(isObject(event.response) && { response: { ...event.response, id, background: true } }),
  }),
  numberOf: event => Number(event.sequence_number),
  write: event => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`,
  end: '',
  toFailed: (response, error) => ({ ...response, status: 'failed', error }),
  toLastEvent: response => (response.status === 'failed' ? { type: 'response.failed', response } : undefined),
  createCollector,
  isCollected: false,
  afterParam: 'starting_after',
}

/** OpenAI's Responses API. */
export const responsesFormat: StoredFormat = {
  dialect: 'responses',
  toId: toResponseId,
  isOwnId: isOwnResponseId,
  previousField: 'previous_response_id',
  readReferences: json => ({ ...readStoredReferences(json), conversationId: readConversationId(json) }),
  toInputItems,
  toInputAgain,
  toListedItems,
  readOutput: ({ output }) => asArray(output).map(asObject),
  toEchoedFields: ({ isStored, previousId = null, conversationId }) => ({
    store: isStored,
    previous_response_id: previousId,
    conversation: conversationId === undefined ? null : { id: conversationId },
  }),
  events,
}
