import type { Usage } from '../../core/usage.ts'
import type { ChatChunk, FinishReason, JsonObject, ToolCall } from '../../provider-kit/contract/chat.ts'
import type { ResponseContext, StreamWriter } from '../../provider-kit/contract/client-dialect.ts'
import { writeError } from './error.ts'
import { openFrames } from './frames.ts'
import { callPart, FINISH_REASON_OF, thoughtPart } from './parts.ts'
import { answerTail } from './reply.ts'
import { toUsageMetadata } from './usage.ts'

/** What is kept of a choice until the end: Google knows calls as a whole only, and says how an answer ended in its last frame. */
interface Draft {
  readonly calls: Map<number, { call: ToolCall; readonly pieces: string[] }>
  finish: FinishReason
}

/** Writes frames of whole answers in parts. Source: ai.google.dev/api/generate-content#method:-models.streamgeneratecontent */
export function openGenerateWriter(context: ResponseContext): StreamWriter {
  const frames = openFrames(context)
  const drafts = new Map<number, Draft>()
  let tail = answerTail(undefined, context)

  const draftOf = (choice: number): Draft => {
    const draft = drafts.get(choice) ?? { calls: new Map(), finish: 'stop' }
    drafts.set(choice, draft)
    return draft
  }
  const say = (part: JsonObject, index: number): string =>
    frames.frame(
      JSON.stringify({ candidates: [{ content: { role: 'model', parts: [part] }, index }], ...tail }),
    )
  const last = (usage: Usage | undefined): string => {
    if (drafts.size === 0) draftOf(0)
    const candidates = [...drafts].sort(([a], [b]) => a - b).map(toLastCandidate)
    return frames.frame(
      JSON.stringify({ candidates, ...(usage && { usageMetadata: toUsageMetadata(usage) }), ...tail }),
    )
  }

  return {
    write(chunk) {
      if (chunk.type === 'start') {
        tail = answerTail(chunk.id, context)
        return ''
      }
      const choice = chunk.choice ?? 0
      const part = toPart(chunk, draftOf(choice))
      return part ? say(part, choice) : ''
    },
    end: usage => last(usage) + frames.end(),
    fail: error => frames.frame(JSON.stringify(writeError(error, context.requestId))) + frames.end(),
  }
}

/** The part to show now. Calls, and how the answer ends, are kept in the draft. */
function toPart(chunk: Exclude<ChatChunk, { type: 'start' }>, draft: Draft): JsonObject | undefined {
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
    case 'finish':
      draft.finish = chunk.reason
      return undefined
  }
}

function toLastCandidate([index, { calls, finish }]: readonly [number, Draft]): JsonObject {
  const parts = [...calls]
    .sort(([a], [b]) => a - b)
    .map(([, { call, pieces }]) =>
      callPart({ ...call, function: { ...call.function, arguments: pieces.join('') } }),
    )
  return {
    content: { role: 'model', parts: parts.length > 0 ? parts : [{ text: '' }] },
    finishReason: FINISH_REASON_OF[finish],
    index,
  }
}
