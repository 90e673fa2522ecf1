import type { FinishReason } from '../../provider-kit/contract/chat.ts'
import type {
  ClientError,
  ResponseContext,
  StreamPassthrough,
  StreamWriter,
} from '../../provider-kit/contract/client-dialect.ts'
import type { JsonObject } from '../../provider-kit/json.ts'
import { createCompactionWriter } from './compaction.ts'
import { toResponseErrorCode } from './errors.ts'
import { createEventWriter, type EventWriter } from './events.ts'
import { createOutputWriter } from './output-writer.ts'
import { endedFields, fixedFields, STARTED_FIELDS, toItemStatus } from './reply.ts'

/** The API has a single choice. */
const ONLY_CHOICE = 0

/** Writes named, numbered events. Source: platform.openai.com/docs/api-reference/responses-streaming */
export function createResponseWriter(context: ResponseContext): StreamWriter {
  const events = createEventWriter(0)
  const output = context.echoedFields.compacts
    ? createCompactionWriter(context, events)
    : createOutputWriter(context, events)
  const toResponse = createResponseFormatter(context)
  let finish: FinishReason = 'stop'
  let isStarted = false

  const start = (): string => {
    if (isStarted) return ''
    isStarted = true
    const response = toResponse(STARTED_FIELDS)
    return (
      events.writeResponse('response.created', response) +
      events.writeResponse('response.in_progress', response)
    )
  }

  return {
    write(chunk) {
      if (chunk.type === 'start') return start()
      if ((chunk.choice ?? ONLY_CHOICE) !== ONLY_CHOICE) return ''
      if (chunk.type === 'finish') finish = chunk.reason
      return start() + output.write(chunk)
    },
    end(usage) {
      const status = toItemStatus(finish)
      const written = start() + output.close(status)
      const response = toResponse(endedFields(finish, output.items(status), usage))
      return written + events.writeResponse(`response.${status}`, response)
    },
    fail: error => start() + writeFailure(error, context, events),
  }
}

/** Serializes the fields that all events of a response share once: tools and instructions can be long. */
function createResponseFormatter(context: ResponseContext): (changing: JsonObject) => string {
  const fixed = JSON.stringify(fixedFields(context)).slice(0, -1)
  return changing => `${fixed},${JSON.stringify(changing).slice(1)}`
}

/** Writes both events that report a failed response, since clients look for either. */
function writeFailure(failure: ClientError, context: ResponseContext, events: EventWriter): string {
  const text = `${failure.message} (request id: ${context.requestId})`
  const error = { code: toResponseErrorCode(failure), message: text }
  const response = JSON.stringify({ ...fixedFields(context), ...STARTED_FIELDS, status: 'failed', error })
  return (
    events.write('error', { code: failure.code, message: text, param: failure.param ?? null }) +
    events.writeResponse('response.failed', response)
  )
}

const SEQUENCE_NUMBER = /"sequence_number"\s*:\s*(\d+)/

/**
 * Passes the provider's events through byte for byte. A gateway error takes the number after the provider's last event.
 */
export function createPassthrough(context: ResponseContext): StreamPassthrough {
  let next = 0
  return {
    pass({ data, raw }) {
      next = Number(SEQUENCE_NUMBER.exec(data)?.[1] ?? next - 1) + 1
      return raw
    },
    end: () => '',
    fail: error => writeFailure(error, context, createEventWriter(next)),
  }
}
