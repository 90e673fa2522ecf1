import type { Usage } from '../../core/usage.ts'
import type {
  ContentChunk,
  FinishReason,
  ToolCall,
  UrlCitation,
  WebSearch,
} from '../../provider-kit/contract/chat.ts'
import type {
  ResponseContext,
  StreamPassthrough,
  StreamWriter,
} from '../../provider-kit/contract/client-dialect.ts'
import { writeGoogleError } from '../../provider-kit/google-error.ts'
import type { JsonObject } from '../../provider-kit/json.ts'
import {
  callPart,
  FINISH_REASON_OF,
  responseTail,
  thoughtPart,
  toGroundingField,
  toLogprobsResult,
  toUsageMetadata,
} from './reply.ts'

/**
 * The part of a choice that is held back: Google sends calls only complete, and the finish reason in the last frame.
 */
interface CandidateDraft {
  readonly calls: Map<number, { call: ToolCall; readonly pieces: string[] }>
  readonly searches: WebSearch[]
  readonly citations: UrlCitation[]
  /** Kept for the places of citations, where the client requests a search. */
  text: string
  finish: FinishReason
}

/**
 * Writes frames of partial responses. Source: ai.google.dev/api/generate-content#method:-models.streamgeneratecontent
 */
export function createGenerateWriter(context: ResponseContext): StreamWriter {
  const frames = createFrames(context)
  const drafts = new Map<number, CandidateDraft>()
  const keepsText = context.echoedFields.searches === true
  let tail = responseTail(undefined, context)

  const getDraft = (choice: number): CandidateDraft => {
    const draft = drafts.get(choice) ?? createDraft()
    drafts.set(choice, draft)
    return draft
  }
  const writePart = (part: JsonObject, index: number, further?: JsonObject): string =>
    frames.frame(
      JSON.stringify({
        candidates: [{ content: { role: 'model', parts: [part] }, index, ...further }],
        ...tail,
      }),
    )
  const writeLastFrame = (usage: Usage | undefined): string => {
    if (drafts.size === 0) getDraft(0)
    const candidates = [...drafts].sort(([a], [b]) => a - b).map(toLastCandidate)
    return frames.frame(
      JSON.stringify({ candidates, ...(usage && { usageMetadata: toUsageMetadata(usage) }), ...tail }),
    )
  }

  return {
    write(chunk) {
      if (chunk.type === 'start') {
        tail = responseTail(chunk.id, context)
        return ''
      }
      const choice = chunk.choice ?? 0
      const draft = getDraft(choice)
      if (keepsText && chunk.type === 'text-delta') keepText(draft, chunk.text)
      const part = toPartOrDraft(chunk, draft)
      return part ? writePart(part, choice, toLogprobsField(chunk)) : ''
    },
    end: usage => writeLastFrame(usage) + frames.end(),
    fail: error => frames.frame(JSON.stringify(writeGoogleError(error, context.requestId))) + frames.end(),
  }
}

const toLogprobsField = (chunk: ContentChunk): JsonObject | undefined =>
  chunk.type === 'text-delta' && chunk.logprobs
    ? { logprobsResult: toLogprobsResult(chunk.logprobs) }
    : undefined

/** Longer texts are not kept, so their citations have no places. */
const GROUNDED_CHARS_MAX = 1_000_000

const createDraft = (): CandidateDraft => ({
  calls: new Map(),
  searches: [],
  citations: [],
  text: '',
  finish: 'stop',
})

function keepText(draft: CandidateDraft, text: string): void {
  if (draft.text.length < GROUNDED_CHARS_MAX) draft.text += text
}

/** The part to send now, or undefined for calls and finish reasons, which go into the draft. */
function toPartOrDraft(chunk: ContentChunk, draft: CandidateDraft): JsonObject | undefined {
  switch (chunk.type) {
    case 'text-delta':
    case 'refusal-delta':
    case 'audio-delta':
      return chunk.text === '' ? undefined : { text: chunk.text }
    case 'reasoning-delta':
      return thoughtPart(chunk.text)
    case 'reasoning-signature':
      return thoughtPart('', chunk.signature)
    case 'tool-call-start': {
      const { id, name, arguments: text, extraContent } = chunk
      const call: ToolCall = {
        id,
        type: 'function',
        function: { name, arguments: '' },
        extra_content: extraContent,
      }
      draft.calls.set(chunk.index, { call, pieces: [text] })
      return undefined
    }
    case 'tool-arguments-delta':
      draft.calls.get(chunk.index)?.pieces.push(chunk.text)
      return undefined
    case 'citation':
      draft.citations.push(chunk.citation)
      return undefined
    case 'web-search':
      draft.searches.push(chunk.search)
      return undefined
    case 'finish':
      draft.finish = chunk.reason
      return undefined
  }
}

function toLastCandidate([index, draft]: readonly [number, CandidateDraft]): JsonObject {
  const { calls, finish } = draft
  const parts = [...calls]
    .sort(([a], [b]) => a - b)
    .map(([, { call, pieces }]) =>
      callPart({ ...call, function: { ...call.function, arguments: pieces.join('') } }),
    )
  return {
    content: { role: 'model', parts: parts.length > 0 ? parts : [{ text: '' }] },
    finishReason: FINISH_REASON_OF[finish],
    index,
    ...toGroundingField(draft),
  }
}

/** The two formats of a stream: server-sent events, or one JSON array that is written element by element. */
interface Frames {
  /** `json` is one element as text. */
  frame(json: string): string
  end(): string
}

export const isSse = ({ urlParams }: ResponseContext): boolean => urlParams.alt === 'sse'

export const createFrames = (context: ResponseContext): Frames =>
  isSse(context) ? EVENTS : createArrayFrames()

const EVENTS: Frames = { frame: json => `data: ${json}\r\n\r\n`, end: () => '' }

function createArrayFrames(): Frames {
  let isEmpty = true
  return {
    frame(json) {
      const before = isEmpty ? '[' : ',\r\n'
      isEmpty = false
      return before + json
    },
    end: () => (isEmpty ? '[]' : ']'),
  }
}

/** Passes Gemini's events through, or writes each as an element of the array that the client reads. */
export function createPassthrough(context: ResponseContext): StreamPassthrough {
  const frames = createFrames(context)
  const isRaw = isSse(context)
  return {
    pass(event) {
      if (isRaw) return event.raw
      return event.data === '' ? '' : frames.frame(event.data)
    },
    end: () => frames.end(),
    fail: error => frames.frame(JSON.stringify(writeGoogleError(error, context.requestId))) + frames.end(),
  }
}
