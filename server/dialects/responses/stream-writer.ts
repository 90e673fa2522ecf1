import type { ContentChunk, FinishReason, ToolCallStart } from '../../provider-kit/contract/chat.ts'
import type {
  ClientError,
  ResponseContext,
  StreamPassthrough,
  StreamWriter,
} from '../../provider-kit/contract/client-dialect.ts'
import type { JsonObject } from '../../provider-kit/json.ts'
import {
  createFunctionCallItem,
  createMessageItem,
  createReasoningItem,
  type OutputItemWriter,
  type OutputPosition,
  type WriteEvent,
} from './output-items.ts'
import {
  type ItemStatus,
  incompleteDetails,
  responseObject,
  toItemStatus,
  toResponsesUsage,
} from './reply.ts'

/** The API has a single choice. */
const ONLY_CHOICE = 0

/** Writes named, numbered events. Source: platform.openai.com/docs/api-reference/responses-streaming */
export function createResponseWriter(context: ResponseContext): StreamWriter {
  const write = createNumberedEvents(0)
  const output = createOutputWriter(context.requestId, write)
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
      const status = toItemStatus(finish)
      const events = start() + output.close(status)
      const response = responseObject(context, {
        status,
        incomplete_details: incompleteDetails(finish),
        output: output.items(status),
        usage: usage ? toResponsesUsage(usage) : null,
      })
      return events + write(`response.${status}`, { response })
    },
    fail: error => start() + writeFailure(error, context, write),
  }
}

export type WriteNumbered = (type: string, fields: JsonObject) => string

/** Numbers events from `first` on. */
export function createNumberedEvents(first: number): WriteNumbered {
  let next = first
  return (type, fields) => {
    const body = JSON.stringify({ type, sequence_number: next, ...fields })
    next += 1
    return `event: ${type}\ndata: ${body}\n\n`
  }
}

/** Writes both events that report a failed response, since clients look for either. */
export function writeFailure(
  { code, message, param }: ClientError,
  context: ResponseContext,
  write: WriteNumbered,
): string {
  const text = `${message} (request id: ${context.requestId})`
  const response = responseObject(context, { status: 'failed', error: { code, message: text } })
  return (
    write('error', { code, message: text, param: param ?? null }) + write('response.failed', { response })
  )
}

const SEQUENCE_NUMBER = /"sequence_number"\s*:\s*(\d+)/

/**
 * Passes the vendor's events through byte for byte. A gateway error takes the number after the vendor's last event.
 */
export function createPassthrough(context: ResponseContext): StreamPassthrough {
  let next = 0
  return {
    pass({ data, raw }) {
      next = Number(SEQUENCE_NUMBER.exec(data)?.[1] ?? next - 1) + 1
      return raw
    },
    end: () => '',
    fail: error => writeFailure(error, context, createNumberedEvents(next)),
  }
}

type TextItemKind = 'reasoning' | 'text' | 'refusal'

/**
 * The output items of one streamed response. Text and reasoning end when another item starts; calls may be
 * interleaved.
 */
interface OutputWriter {
  write(piece: ContentChunk): string
  /** Ends the open items. */
  close(status: ItemStatus): string
  /** All items in their final state. */
  items(status: ItemStatus): readonly JsonObject[]
}

function createOutputWriter(requestId: string, write: WriteEvent): OutputWriter {
  const items: OutputItemWriter[] = []
  const calls = new Map<number, OutputItemWriter>()
  let textItem: { readonly kind: TextItemKind; readonly item: OutputItemWriter } | undefined
  let signature: string | undefined

  const nextPosition = (prefix: string): OutputPosition => ({
    id: `${prefix}_${requestId}_${items.length}`,
    index: items.length,
  })
  const begin = (item: OutputItemWriter): string => {
    items.push(item)
    return item.begin()
  }
  const endTextItem = (): string => {
    const ended = textItem?.item.end('completed') ?? ''
    textItem = undefined
    return ended
  }
  const endCalls = (): string => {
    const ended = [...calls.values()].map(call => call.end('completed')).join('')
    calls.clear()
    return ended
  }
  const createTextItem = (kind: TextItemKind): OutputItemWriter => {
    if (kind !== 'reasoning') return createMessageItem(nextPosition('msg'), kind, write)
    signature = undefined
    return createReasoningItem(nextPosition('rs'), () => signature, write)
  }
  const writeText = (kind: TextItemKind, text: string): string => {
    if (textItem?.kind === kind) return textItem.item.add(text)
    const ended = endTextItem() + endCalls()
    textItem = { kind, item: createTextItem(kind) }
    return ended + begin(textItem.item) + textItem.item.add(text)
  }
  const call = ({ index, id, name, arguments: text, extraContent }: ToolCallStart): string => {
    const ended = endTextItem()
    const item = createFunctionCallItem(nextPosition('fc'), { callId: id, name, extraContent }, write)
    calls.set(index, item)
    return ended + begin(item) + item.add(text)
  }

  return {
    write(piece) {
      switch (piece.type) {
        case 'text-delta':
        case 'audio-delta':
          return piece.text && writeText('text', piece.text)
        case 'refusal-delta':
          return writeText('refusal', piece.text)
        case 'reasoning-delta':
          return writeText('reasoning', piece.text)
        case 'reasoning-signature': {
          const events = writeText('reasoning', '')
          signature = piece.signature
          return events
        }
        case 'tool-call-start':
          return call(piece)
        case 'tool-arguments-delta':
          return calls.get(piece.index)?.add(piece.text) ?? ''
        case 'finish':
          return ''
      }
    },
    close(status) {
      const ended = textItem?.item.end(status) ?? ''
      textItem = undefined
      return ended + endCalls()
    },
    items: status =>
      items.map((item, index) => item.finished(index === items.length - 1 ? status : 'completed')),
  }
}
