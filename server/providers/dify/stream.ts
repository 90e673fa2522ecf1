import type { Usage } from '../../core/usage.ts'
import type { ChatChunk, JsonObject } from '../../provider-kit/contract/chat.ts'
import type { AdapterCall, StreamPiece, StreamReader } from '../../provider-kit/contract/operation-adapter.ts'
import { invalidJsonFailure } from '../../provider-kit/failures.ts'
import { asObject, asString, isObject, parseJson } from '../../provider-kit/json.ts'
import { readOpenaiUsage } from '../../provider-kit/openai-compatible/chat-response.ts'
import { readDifyError } from './failure.ts'
import { readOutputText, readRunUsage, toAppKind } from './to-body.ts'

type DifyPieces = readonly StreamPiece<ChatChunk>[]
const NOTHING: DifyPieces = []

/** Older versions wrap thinking in HTML tags, each in a chunk of its own. */
const THOUGHT_OPENS = /^<details[^>]*>\s*<summary>\s*Thinking\.\.\.\s*<\/summary>\s*$/
const THOUGHT_CLOSES = /^\s*<\/details>\s*$/

/**
 * The events of chats, agents, text generators and workflows. A chat may contain a workflow, whose end arrives before
 * or after its own; an agent may repeat the complete response as a message.
 */
export function createDifyStreamReader({
  model,
}: Pick<AdapterCall<unknown>, 'model'>): StreamReader<ChatChunk> {
  const isWorkflow = toAppKind(model) === 'workflow'
  let usage: Usage | undefined
  let isComplete = false
  let isAgent = false
  let isCensored = false
  let hasText = false
  let isThinking = false

  const write = (text: unknown): DifyPieces => {
    if (typeof text !== 'string' || text === '') return NOTHING
    const isTag = isThinking ? THOUGHT_CLOSES.test(text) : THOUGHT_OPENS.test(text)
    if (isTag) {
      isThinking = !isThinking
      return NOTHING
    }
    hasText = true
    return [{ type: isThinking ? 'reasoning-delta' : 'text-delta', text }]
  }

  const finish = (): ChatChunk => {
    isComplete = true
    return { type: 'finish', reason: isCensored ? 'content_filter' : 'stop' }
  }

  const endRun = (run: JsonObject): DifyPieces => {
    if (run.status === 'failed' || run.status === 'stopped')
      return [{ type: 'failure', failure: readDifyError({ message: run.error, code: `run_${run.status}` }) }]
    usage ??= readOpenaiUsage(readRunUsage(run))
    if (!isWorkflow) return NOTHING
    return [...(hasText ? NOTHING : write(readOutputText(run))), finish()]
  }

  const readEvent = (json: JsonObject): DifyPieces => {
    switch (json.event) {
      case 'agent_message':
        isAgent = true
        return write(json.answer)
      case 'message':
        return isAgent ? NOTHING : write(json.answer)
      case 'text_chunk':
        return isWorkflow ? write(asObject(json.data).text) : NOTHING
      case 'message_replace':
        isCensored = true
        return [{ type: 'refusal-delta', text: asString(json.answer) ?? '' }]
      case 'message_end':
        usage = readOpenaiUsage(asObject(json.metadata).usage) ?? usage
        return [finish()]
      case 'workflow_finished':
        return endRun(asObject(json.data))
      case 'error':
        return [{ type: 'failure', failure: readDifyError(json) }]
      default:
        return NOTHING
    }
  }

  return {
    read({ data }) {
      if (data === '') return NOTHING
      const json = parseJson(data)
      return isObject(json) ? readEvent(json) : [{ type: 'failure', failure: invalidJsonFailure() }]
    },
    end: () => ({ chunks: NOTHING, usage, isComplete }),
  }
}
