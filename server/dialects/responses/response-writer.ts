import type { FinishReason, JsonObject } from '../../provider-kit/contract/chat.ts'
import type {
  ClientError,
  ResponseContext,
  StreamWriter,
} from '../../provider-kit/contract/client-dialect.ts'
import { incompleteDetails, statusOf } from './items.ts'
import { openOutput } from './output.ts'
import { responseObject, toResponsesUsage } from './response-object.ts'

/** This API has one choice only. */
const ONLY_CHOICE = 0

/** Writes named, numbered events. Source: platform.openai.com/docs/api-reference/responses-streaming */
export function openResponseWriter(context: ResponseContext): StreamWriter {
  const write = openNumberedEvents(0)
  const output = openOutput(context.requestId, write)
  let finish: FinishReason = 'stop'
  let isStarted = false

  const start = (): string => {
    if (isStarted) return ''
    isStarted = true
    const response = responseObject(context, {})
    return write('response.created', { response }) + write('response.in_progress', { response })
  }

  return {
    write(chunk) {
      if (chunk.type === 'start') return start()
      if ((chunk.choice ?? ONLY_CHOICE) !== ONLY_CHOICE) return ''
      if (chunk.type === 'finish') finish = chunk.reason
      return start() + output.write(chunk)
    },
    end(usage) {
      const status = statusOf(finish)
      const begun = start() + output.close(status)
      const response = responseObject(context, {
        status,
        incomplete_details: incompleteDetails(finish),
        output: output.items(status),
        usage: usage ? toResponsesUsage(usage) : null,
      })
      return begun + write(`response.${status}`, { response })
    },
    fail: error => start() + writeFailure(error, context, write),
  }
}

export type WriteNumbered = (type: string, fields: JsonObject) => string

/** Events that count from a number on. */
export function openNumberedEvents(first: number): WriteNumbered {
  let next = first
  return (type, fields) => {
    const body = JSON.stringify({ type, sequence_number: next, ...fields })
    next += 1
    return `event: ${type}\ndata: ${body}\n\n`
  }
}

/** Both events by which this API says that an answer failed; clients look for either. */
export function writeFailure(
  { code, message, param }: ClientError,
  context: ResponseContext,
  write: WriteNumbered,
): string {
  const told = `${message} (request id: ${context.requestId})`
  const response = responseObject(context, { status: 'failed', error: { code, message: told } })
  return (
    write('error', { code, message: told, param: param ?? null }) + write('response.failed', { response })
  )
}
