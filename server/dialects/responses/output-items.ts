import type { TokenLogprob, UrlCitation, WebSearch } from '../../provider-kit/contract/chat.ts'
import { asString, type JsonObject } from '../../provider-kit/json.ts'
import { createDeltaShape, type EventWriter } from './events.ts'
import {
  type CallFields,
  callItem,
  type ItemStatus,
  messageItem,
  reasoningItem,
  refusalPart,
  searchItem,
  summaryPart,
  textPart,
  urlAnnotation,
} from './items.ts'

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
  /** Adds a citation to the text. Absent for items without any. */
  annotate?(citation: UrlCitation): string
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
  /** Further fields of the events with text. */
  readonly textFields?: JsonObject
  /** The figures of the text that arrived since the last delta. */
  readonly takeLogprobs?: () => readonly TokenLogprob[]
  /** Further fields of the last event with text. */
  readonly doneFields?: JsonObject
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
  events: EventWriter,
): OutputItemWriter {
  const pieces: string[] = []
  const { part } = shape
  const at = { item_id: id, output_index: index, ...part?.at }
  const delta = createDeltaShape(shape.deltaType, at, shape.textFields)
  return {
    begin: () =>
      events.write('response.output_item.added', {
        output_index: index,
        item: shape.item('in_progress', ''),
      }) + (part ? events.write(part.added, { ...at, part: part.of('') }) : ''),
    add(text) {
      if (text === '') return ''
      pieces.push(text)
      const logprobs = shape.takeLogprobs?.() ?? []
      if (logprobs.length === 0) return events.writeDelta(delta, text)
      return events.write(shape.deltaType, { ...at, delta: text, logprobs })
    },
    end(status) {
      const text = pieces.join('')
      return (
        events.write(shape.doneType, {
          ...at,
          [shape.textField]: text,
          ...shape.textFields,
          ...shape.doneFields,
        }) +
        (part ? events.write(part.done, { ...at, part: part.of(text) }) : '') +
        events.write('response.output_item.done', { output_index: index, item: shape.item(status, text) })
      )
    },
    finished: status => shape.item(status, pieces.join('')),
  }
}

const CONTENT_PART = {
  added: 'response.content_part.added',
  done: 'response.content_part.done',
  at: { content_index: 0 },
}

/** `arrived` gets the figures of a text before the text. */
export function createMessageItem(
  place: OutputPosition,
  kind: 'text' | 'refusal',
  events: EventWriter,
  arrived: TokenLogprob[],
): OutputItemWriter {
  const annotations: JsonObject[] = []
  const logprobs: TokenLogprob[] = []
  const takeLogprobs = (): readonly TokenLogprob[] => {
    if (arrived.length === 0) return arrived
    const taken = arrived.splice(0)
    logprobs.push(...taken)
    return taken
  }
  const of = kind === 'text' ? (text: string) => textPart(text, annotations, logprobs) : refusalPart
  const name = kind === 'text' ? 'output_text' : 'refusal'
  const shape: ItemShape = {
    item: (status, text) => messageItem(place.id, status, text === '' ? [] : [of(text)]),
    deltaType: `response.${name}.delta`,
    doneType: `response.${name}.done`,
    textField: kind,
    ...(kind === 'text' && { textFields: { logprobs }, takeLogprobs }),
    part: { ...CONTENT_PART, of },
  }
  return {
    ...createItemWriter(place, shape, events),
    annotate(citation) {
      const annotation = urlAnnotation(citation)
      annotations.push(annotation)
      return events.write('response.output_text.annotation.added', {
        item_id: place.id,
        output_index: place.index,
        ...CONTENT_PART.at,
        annotation_index: annotations.length - 1,
        annotation,
      })
    },
  }
}

/** A search is over when it is known. Source: platform.openai.com/docs/api-reference/responses-streaming */
export function createSearchItem(
  { id, index }: OutputPosition,
  search: WebSearch,
  events: EventWriter,
): OutputItemWriter {
  const finished = (): JsonObject => searchItem(id, 'completed', search)
  const report = (state: string): string =>
    events.write(`response.web_search_call.${state}`, { item_id: id, output_index: index })
  return {
    begin: () =>
      events.write('response.output_item.added', {
        output_index: index,
        item: searchItem(id, 'in_progress', search),
      }) +
      report('in_progress') +
      report('searching') +
      report('completed'),
    add: () => '',
    end: () => events.write('response.output_item.done', { output_index: index, item: finished() }),
    finished,
  }
}

/** `signatureOf` is called when the item ends, since a signature follows the reasoning. */
export function createReasoningItem(
  place: OutputPosition,
  signatureOf: () => string | undefined,
  events: EventWriter,
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
      of: summaryPart,
    },
  }
  return createItemWriter(place, shape, events)
}

export type StreamedCall = Omit<CallFields, 'arguments'>

export const createCallItem = (
  place: OutputPosition,
  call: StreamedCall,
  events: EventWriter,
): OutputItemWriter =>
  call.tool.kind === 'function'
    ? createFunctionCallItem(place, call, events)
    : createConvertedCallItem(place, call, events)

/** A call without arguments gets an empty object, because clients parse them. */
function createFunctionCallItem(
  place: OutputPosition,
  call: StreamedCall,
  events: EventWriter,
): OutputItemWriter {
  let isEmpty = true
  const shape: ItemShape = {
    item: (status, text) => callItem(place.id, status, { ...call, arguments: text }),
    deltaType: 'response.function_call_arguments.delta',
    doneType: 'response.function_call_arguments.done',
    textField: 'arguments',
    doneFields: { name: call.tool.name },
  }
  const writer = createItemWriter(place, shape, events)
  return {
    ...writer,
    add(text) {
      isEmpty &&= text === ''
      return writer.add(text)
    },
    end: status => (isEmpty ? writer.add('{}') : '') + writer.end(status),
  }
}

/** What the call says is inside JSON arguments, so it is delivered when they are complete. */
function createConvertedCallItem(
  place: OutputPosition,
  call: StreamedCall,
  events: EventWriter,
): OutputItemWriter {
  const pieces: string[] = []
  const item = (status: ItemStatus): JsonObject =>
    callItem(place.id, status, { ...call, arguments: pieces.join('') })
  const at = { item_id: place.id, output_index: place.index }
  const writeInput = (input: string): string =>
    events.writeDelta(createDeltaShape('response.custom_tool_call_input.delta', at), input) +
    events.write('response.custom_tool_call_input.done', { ...at, input })
  return {
    begin: () =>
      events.write('response.output_item.added', { output_index: place.index, item: item('in_progress') }),
    add(text) {
      pieces.push(text)
      return ''
    },
    end(status) {
      const done = item(status)
      const input = call.tool.kind === 'custom' ? asString(done.input) : undefined
      const written = input === undefined ? '' : writeInput(input)
      return written + events.write('response.output_item.done', { output_index: place.index, item: done })
    },
    finished: item,
  }
}
