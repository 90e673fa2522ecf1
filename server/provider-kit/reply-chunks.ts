import type {
  ChatChoice,
  ChatChunk,
  ChatReply,
  ContentChunk,
  FinishReason,
  TokenLogprob,
  ToolCall,
  UrlCitation,
  WebSearch,
} from './contract/chat.ts'
import type { StreamPiece } from './contract/operation-adapter.ts'

/** Turns a complete response into chunks, for providers that do not stream although the client does. */
export function replyToChunks(reply: ChatReply): readonly ChatChunk[] {
  return [{ type: 'start', id: reply.id, model: reply.model }, ...reply.choices.flatMap(chunksOfChoice)]
}

function chunksOfChoice(from: ChatChoice, choice: number): readonly ChatChunk[] {
  const chunks: ChatChunk[] = []
  if (from.reasoning) chunks.push({ type: 'reasoning-delta', text: from.reasoning, choice })
  if (from.reasoningSignature)
    chunks.push({ type: 'reasoning-signature', signature: from.reasoningSignature, choice })
  for (const search of from.searches ?? []) chunks.push({ type: 'web-search', search, choice })
  if (from.text)
    chunks.push({
      type: 'text-delta',
      text: from.text,
      choice,
      ...(from.logprobs && { logprobs: from.logprobs }),
    })
  for (const citation of from.citations ?? []) chunks.push({ type: 'citation', citation, choice })
  if (from.refusal) chunks.push({ type: 'refusal-delta', text: from.refusal, choice })
  from.toolCalls?.forEach((call, index) => {
    chunks.push({
      type: 'tool-call-start',
      index,
      id: call.id,
      name: call.function.name,
      arguments: call.function.arguments,
      extraContent: call.extra_content,
      choice,
    })
  })
  return [...chunks, { type: 'finish', reason: from.finish, choice }]
}

/** Collects chunks into a complete response, for providers that only stream. */
export interface ReplyCollector {
  add(chunk: ChatChunk): void
  reply(): ChatReply
}

/** Text is kept in pieces: joining once is cheaper than growing a string. */
interface ChoiceDraft {
  readonly text: string[]
  readonly reasoning: string[]
  readonly refusal: string[]
  readonly calls: Map<number, CallDraft>
  readonly citations: UrlCitation[]
  readonly searches: WebSearch[]
  readonly logprobs: TokenLogprob[]
  signature?: string
  finish?: FinishReason
}

interface CallDraft {
  readonly id: string
  readonly name: string
  readonly arguments: string[]
  readonly extraContent: ToolCall['extra_content']
}

const createDraft = (): ChoiceDraft => ({
  text: [],
  reasoning: [],
  refusal: [],
  calls: new Map(),
  citations: [],
  searches: [],
  logprobs: [],
})

/** Creates a collector for one streamed response. */
export function createReplyCollector(): ReplyCollector {
  const drafts = new Map<number, ChoiceDraft>()
  let id: string | undefined
  let model: string | undefined

  const draftOf = (choice: number): ChoiceDraft => {
    const draft = drafts.get(choice) ?? createDraft()
    drafts.set(choice, draft)
    return draft
  }

  return {
    add(chunk) {
      if (chunk.type === 'start') {
        id = chunk.id
        model = chunk.model
      } else addToDraft(draftOf(chunk.choice ?? 0), chunk)
    },
    reply: () => ({
      id,
      model,
      choices: [...drafts].sort(([a], [b]) => a - b).map(([, draft]) => toChoice(draft)),
    }),
  }
}

function addToDraft(draft: ChoiceDraft, chunk: ContentChunk): void {
  switch (chunk.type) {
    case 'text-delta':
      draft.text.push(chunk.text)
      draft.logprobs.push(...(chunk.logprobs ?? []))
      return
    case 'audio-delta':
      draft.text.push(chunk.text)
      return
    case 'reasoning-delta':
      draft.reasoning.push(chunk.text)
      return
    case 'refusal-delta':
      draft.refusal.push(chunk.text)
      return
    case 'reasoning-signature':
      draft.signature = chunk.signature
      return
    case 'tool-call-start': {
      const { id, name, extraContent } = chunk
      draft.calls.set(chunk.index, { id, name, extraContent, arguments: [chunk.arguments] })
      return
    }
    case 'tool-arguments-delta':
      draft.calls.get(chunk.index)?.arguments.push(chunk.text)
      return
    case 'citation':
      draft.citations.push(chunk.citation)
      return
    case 'web-search':
      draft.searches.push(chunk.search)
      return
    case 'finish':
      draft.finish = chunk.reason
  }
}

function toChoice(draft: ChoiceDraft): ChatChoice {
  const calls = [...draft.calls].sort(([a], [b]) => a - b).map(([, call]) => toToolCall(call))
  return {
    text: draft.text.join(''),
    reasoning: draft.reasoning.join('') || undefined,
    reasoningSignature: draft.signature,
    refusal: draft.refusal.join('') || undefined,
    toolCalls: calls.length > 0 ? calls : undefined,
    ...(draft.citations.length > 0 && { citations: draft.citations }),
    ...(draft.searches.length > 0 && { searches: draft.searches }),
    ...(draft.logprobs.length > 0 && { logprobs: draft.logprobs }),
    finish: draft.finish ?? (calls.length > 0 ? 'tool_calls' : 'stop'),
  }
}

const toToolCall = (draft: CallDraft): ToolCall => ({
  id: draft.id,
  type: 'function',
  function: { name: draft.name, arguments: draft.arguments.join('') },
  ...(draft.extraContent && { extra_content: draft.extraContent }),
})

/** Whether a piece of a stream is a chunk that every dialect can write. */
export const isChatChunk = (piece: StreamPiece<ChatChunk>) =>
  piece.type !== 'failure' && piece.type !== 'unmapped-delta'
