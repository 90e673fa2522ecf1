import type { JsonObject } from '../../provider-kit/json.ts'
import {
  callItem,
  type FunctionCallFields,
  type ItemStatus,
  messageItem,
  reasoningItem,
  refusalPart,
  textPart,
} from './reply.ts'

/** Writes one numbered event. */
export type WriteEvent = (type: string, fields: JsonObject) => string

/** The position of an item in the output. */
export interface OutputPosition {
  readonly id: string
  readonly index: number
}

/**
 * Writes one output item of a streamed response. The API repeats the complete text at the end of an item and of the
 * response, so it is kept until then.
 */
export interface OutputItemWriter {
  begin(): string
  add(text: string): string
  end(status: ItemStatus): string
  /** The item in its final state. */
  finished(status: ItemStatus): JsonObject
}

/** The differences between item types. */
interface ItemShape {
  item(status: ItemStatus, text: string): JsonObject
  readonly deltaType: string
  readonly doneType: string
  /** The field of the last event that repeats the text. */
  readonly textField: string
  /** For items with parts: the events around a part, and its shape. */
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

/** `signatureOf` is called when the item ends, since a signature follows the reasoning. */
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
