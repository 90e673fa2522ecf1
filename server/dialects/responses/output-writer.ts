import type {
  ContentChunk,
  TokenLogprob,
  ToolCallStart,
  UrlCitation,
  WebSearch,
} from '../../provider-kit/contract/chat.ts'
import type { ResponseContext } from '../../provider-kit/contract/client-dialect.ts'
import type { JsonObject } from '../../provider-kit/json.ts'
import { movePlaces } from '../../provider-kit/web-citations.ts'
import { findForm } from './client-tools.ts'
import type { EventWriter } from './events.ts'
import type { ItemStatus } from './items.ts'
import {
  createCallItem,
  createMessageItem,
  createReasoningItem,
  createSearchItem,
  type OutputItemWriter,
  type OutputPosition,
} from './output-items.ts'
import { type ToolCatalog, toolsOf } from './tools.ts'

/** The output items of one streamed response. An item ends before the next begins. */
export interface OutputWriter {
  write(chunk: ContentChunk): string
  /** Ends all items. */
  close(status: ItemStatus): string
  /** All items in their final state, after `close`. */
  items(status: ItemStatus): readonly JsonObject[]
}

type TextKind = 'reasoning' | 'text' | 'refusal'

/** An item and the text that arrived for it before it could begin. */
interface Segment {
  readonly kind: TextKind | 'call' | 'search'
  readonly prefix: string
  create(position: OutputPosition): OutputItemWriter
  /** Whether no more text can follow once another segment has started. */
  isOver(): boolean
  noteText?(text: string): void
  item?: OutputItemWriter
  readonly waitingText: string[]
  /** Of the text that is not written yet. */
  readonly logprobs?: TokenLogprob[]
  signature?: string
}

export function createOutputWriter(
  { requestId, echoedFields }: ResponseContext,
  events: EventWriter,
): OutputWriter {
  const queue = createSegmentQueue(requestId)
  const calls = new Map<number, Segment>()
  let catalog: ToolCatalog | undefined
  let textChars = 0
  let messageStart = 0

  const writeText = (kind: TextKind, text: string, logprobs: readonly TokenLogprob[] = []): string => {
    const latest = queue.latest()
    if (latest?.kind !== kind) {
      if (kind === 'text') messageStart = textChars
      return queue.start(createTextSegment(kind, [...logprobs], events), text)
    }
    latest.logprobs?.push(...logprobs)
    return queue.add(latest, text)
  }
  const writeOutputText = (text: string, logprobs?: readonly TokenLogprob[]): string => {
    const written = text && writeText('text', text, logprobs)
    textChars += text.length
    return written
  }
  /** The places of citations count from the start of a message. */
  const writeCitation = (citation: UrlCitation): string => {
    const { kind, item } = queue.latest() ?? {}
    return (kind === 'text' && item?.annotate?.(movePlaces(citation, -messageStart))) || ''
  }

  const sign = (signature: string): string => {
    const started = writeText('reasoning', '')
    const segment = queue.latest()
    if (segment) segment.signature = signature
    return started
  }

  const startCall = (start: ToolCallStart): string => {
    catalog ??= toolsOf(echoedFields)
    const segment = createCallSegment(start, catalog, events)
    calls.set(start.index, segment)
    return queue.start(segment, start.arguments)
  }

  return {
    write(chunk) {
      switch (chunk.type) {
        case 'text-delta':
          return writeOutputText(chunk.text, chunk.logprobs)
        case 'audio-delta':
          return writeOutputText(chunk.text)
        case 'refusal-delta':
          return writeText('refusal', chunk.text)
        case 'reasoning-delta':
          return writeText('reasoning', chunk.text)
        case 'reasoning-signature':
          return sign(chunk.signature)
        case 'tool-call-start':
          return startCall(chunk)
        case 'tool-arguments-delta':
          return queue.add(calls.get(chunk.index), chunk.text)
        case 'web-search':
          return queue.start(createSearchSegment(chunk.search, events), '')
        case 'citation':
          return writeCitation(chunk.citation)
        case 'finish':
          return ''
      }
    },
    close: queue.close,
    items: queue.items,
  }
}

/** Segments in the order in which they started. Only the first that is not over is open; later ones wait. */
interface SegmentQueue {
  latest(): Segment | undefined
  start(segment: Segment, text: string): string
  add(segment: Segment | undefined, text: string): string
  close(status: ItemStatus): string
  items(status: ItemStatus): readonly JsonObject[]
}

function createSegmentQueue(requestId: string): SegmentQueue {
  const segments: Segment[] = []
  /** The number of segments whose items have started; the last of them is open. */
  let startedCount = 0

  const begin = (segment: Segment): string => {
    const item = segment.create({ id: `${segment.prefix}_${requestId}_${startedCount}`, index: startedCount })
    segment.item = item
    startedCount += 1
    return item.begin() + segment.waitingText.splice(0).map(item.add).join('')
  }
  const advance = (canEnd: (open: Segment) => boolean): string => {
    let written = ''
    while (startedCount < segments.length) {
      const open = segments[startedCount - 1]
      const next = segments[startedCount]
      if (!next || (open && !canEnd(open))) break
      written += (open?.item?.end('completed') ?? '') + begin(next)
    }
    return written
  }
  const add = (segment: Segment | undefined, text: string): string => {
    if (!segment) return ''
    segment.noteText?.(text)
    if (segment !== segments[startedCount - 1]) {
      if (!segment.item) segment.waitingText.push(text)
      return ''
    }
    const written = segment.item?.add(text) ?? ''
    return startedCount < segments.length ? written + advance(isOver) : written
  }

  return {
    latest: () => segments.at(-1),
    start(segment, text) {
      segments.push(segment)
      return advance(isOver) + add(segment, text)
    },
    add,
    close: status => advance(() => true) + (segments.at(-1)?.item?.end(status) ?? ''),
    items: status =>
      segments.flatMap(({ item }, index) =>
        item ? [item.finished(index === segments.length - 1 ? status : 'completed')] : [],
      ),
  }
}

const isOver = (segment: Segment): boolean => segment.isOver()

const PREFIXES = { reasoning: 'rs', text: 'msg', refusal: 'msg' } as const

function createTextSegment(kind: TextKind, logprobs: TokenLogprob[], events: EventWriter): Segment {
  const segment: Segment = {
    kind,
    prefix: PREFIXES[kind],
    create: position =>
      kind === 'reasoning'
        ? createReasoningItem(position, () => segment.signature, events)
        : createMessageItem(position, kind, events, logprobs),
    isOver: () => true,
    waitingText: [],
    logprobs,
  }
  return segment
}

const createSearchSegment = (search: WebSearch, events: EventWriter): Segment => ({
  kind: 'search',
  prefix: 'ws',
  create: position => createSearchItem(position, search, events),
  isOver: () => true,
  waitingText: [],
})

/**
 * A call is over when its arguments are a complete JSON value. Providers that interleave calls send later pieces of a call
 * after the start of the next one.
 */
function createCallSegment(start: ToolCallStart, catalog: ToolCatalog, events: EventWriter): Segment {
  const tool = catalog.findTool(start.name)
  const json = createJsonScanner()
  return {
    kind: 'call',
    prefix: findForm(tool.kind).idPrefix,
    create: position =>
      createCallItem(position, { tool, callId: start.id, extraContent: start.extraContent }, events),
    isOver: json.isComplete,
    noteText: json.add,
    waitingText: [],
  }
}

interface JsonScanner {
  add(text: string): void
  /** Whether the text so far is a closed object or array. */
  isComplete(): boolean
}

/** An escape, which hides the character after it, or a character that opens or closes something. */
const JSON_TOKENS = /\\[\s\S]?|["{}[\]]/g
const DEPTH_CHANGE: Readonly<Record<string, number>> = { '{': 1, '[': 1, '}': -1, ']': -1 }

/** Finds the end of a JSON object or array without parsing it. */
function createJsonScanner(): JsonScanner {
  let depth = 0
  let hasOpened = false
  let isInString = false
  let splitEscape = ''
  return {
    add(text) {
      const tokens = (splitEscape + text).match(JSON_TOKENS) ?? []
      splitEscape = tokens.at(-1) === '\\' ? '\\' : ''
      for (const token of tokens) {
        if (token === '"') isInString = !isInString
        else if (!isInString) depth += DEPTH_CHANGE[token] ?? 0
      }
      hasOpened ||= tokens.length > 0
    },
    isComplete: () => hasOpened && depth === 0 && !isInString,
  }
}
