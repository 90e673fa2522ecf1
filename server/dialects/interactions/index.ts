import { toHandle } from '../../core/ids.ts'
import type { ClientDialect } from '../../provider-kit/contract/client-dialect.ts'
import { writeGoogleError } from '../../provider-kit/google-error.ts'
import { asString } from '../../provider-kit/json.ts'
import { parseInteraction, parseUnjudgedInteraction } from './parse-interaction.ts'
import { writeInteraction } from './reply.ts'
import { createInteractionWriter, createPassthrough } from './stream-writer.ts'

/** The dialect of Google's Interactions API. */
export const dialect: ClientDialect = {
  name: 'interactions',
  chat: {
    parse: parseInteraction,
    parseUnjudged: parseUnjudgedInteraction,
    writeReply: writeInteraction,
    streamType: () => 'text/event-stream',
    createWriter: createInteractionWriter,
    createPassthrough,
  },
  forwardedHeaders: ['x-goog-user-project', 'x-goog-request-params', 'x-goog-api-client'],
  readAccountReferences(json) {
    const ids = [json.previous_interaction_id, json.continuation_token].flatMap(id => asString(id) || [])
    return ids.length > 0 ? { stored: ids.map(toHandle), droppable: [] } : undefined
  },
  writeError: writeGoogleError,
}
