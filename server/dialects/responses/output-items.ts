import type { JsonObject } from '../../provider-kit/contract/chat.ts'
import {
  callItem,
  type FunctionCallFields,
  type ItemStatus,
  messageItem,
  reasoningItem,
  refusalPart,
  textPart,
} from './reply.ts'

/** Writes one event, with its number. */
export type WriteEvent = (type: string, fields: JsonObject) => string

/** Where an item stands in the answer. */
export interface OutputPosition {
  readonly id: string
  readonly index: number
}

/** One item of a streamed answer. This API repeats at the end of an item, and of the answer, all that was said: it is kept until then. */
export interface OutputItemWriter {
  begin(): string
  add(text: string): string
  end(status: ItemStatus): string
  /** As it stands when it has ended. */
  finished(status: ItemStatus): JsonObject
}

/** What differs between the kinds of items. */
interface ItemShape {
  item(status: ItemStatus, text: string): JsonObject
  readonly deltaType: string
  readonly doneType: string
  /** The field of the last event that repeats the text. */
  readonly textField: string
  /** Where items have parts: the events around them, and how a part looks. */
  readonly part?: {
    readonly added: string
    readonly done: string
    readonly at: JsonObject
    readonly of: (text: string) => JsonObject
  }
}

function createItemWriter(
  { id, index }: OutputPosition,
  shape: ItemShape,
  write: WriteEvent,
): OutputItemWriter {
  const pieces: string[] = []
  const { part } = shape
  const at = { item_id: id, output_index: index, ...part?.at }
  return {
    begin: () =>
      write('response.output_item.added', { output_index: index, item: shape.item('in_progress', '') }) +
      (part ? write(part.added, { ...at, part: part.of('') }) : ''),
    add(text) {
      if (text === '') return ''
      pieces.push(text)
      return write(shape.deltaType, { ...at, delta: text })
    },
    end(status) {
      const text = pieces.join('')
      return (
        write(shape.doneType, { ...at, [shape.textField]: text }) +
        (part ? write(part.done, { ...at, part: part.of(text) }) : '') +
        write('response.output_item.done', { output_index: index, item: shape.item(status, text) })
      )
    },
    finished: status => shape.item(status, pieces.join('')),
  }
}

export function createMessageItem(
  place: OutputPosition,
  kind: 'text' | 'refusal',
  write: WriteEvent,
): OutputItemWriter {
  const of = kind === 'text' ? textPart : refusalPart
  const name = kind === 'text' ? 'output_text' : 'refusal'
  const shape: ItemShape = {
    item: (status, text) => messageItem(place.id, status, text === '' ? [] : [of(text)]),
    deltaType: `response.${name}.delta`,
    doneType: `response.${name}.done`,
    textField: kind,
    part: {
      added: 'response.content_part.added',
      done: 'response.content_part.done',
      at: { content_index: 0 },
      of,
    },
  }
  return createItemWriter(place, shape, write)
}

/** `signatureOf` is asked when the item ends: a signature follows the thought. */
export function createReasoningItem(
  place: OutputPosition,
  signatureOf: () => string | undefined,
  write: WriteEvent,
): OutputItemWriter {
  const shape: ItemShape = {
    item: (_status, text) => reasoningItem(place.id, text, signatureOf()),
    deltaType: 'response.reasoning_summary_text.delta',
    doneType: 'response.reasoning_summary_text.done',
    textField: 'text',
    part: {
      added: 'response.reasoning_summary_part.added',
      done: 'response.reasoning_summary_part.done',
      at: { summary_index: 0 },
      of: text => ({ type: 'summary_text', text }),
    },
  }
  return createItemWriter(place, shape, write)
}

export function createFunctionCallItem(
  place: OutputPosition,
  call: Omit<FunctionCallFields, 'arguments'>,
  write: WriteEvent,
): OutputItemWriter {
  const shape: ItemShape = {
    item: (status, text) => callItem(place.id, status, { ...call, arguments: text }),
    deltaType: 'response.function_call_arguments.delta',
    doneType: 'response.function_call_arguments.done',
    textField: 'arguments',
  }
  return createItemWriter(place, shape, write)
}
