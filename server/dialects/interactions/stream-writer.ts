import type { ContentChunk, FinishReason } from '../../provider-kit/contract/chat.ts'
import type {
  ClientError,
  ResponseContext,
  StreamPassthrough,
  StreamWriter,
} from '../../provider-kit/contract/client-dialect.ts'
import { googleStatus } from '../../provider-kit/google-error.ts'
import type { JsonObject } from '../../provider-kit/json.ts'
import { carrySignature } from '../../provider-kit/rules/carried-signatures.ts'
import { STATUS_OF, searchSteps, startedFields, toAnnotation, toInteractionUsage } from './reply.ts'

const END = 'event: done\ndata: [DONE]\n\n'
/** The API has a single choice. */
const ONLY_CHOICE = 0

const writeEvent = (type: string, fields: JsonObject): string =>
  `event: ${type}\ndata: ${JSON.stringify({ event_type: type, ...fields })}\n\n`

/** Writes named events. Source: ai.google.dev/api/interactions-api, streaming */
export function createInteractionWriter(context: ResponseContext): StreamWriter {
  const started = startedFields(context)
  const steps = createStepWriter(String(started.id))
  let finish: FinishReason = 'stop'
  let isStarted = false

  const start = (): string => {
    if (isStarted) return ''
    isStarted = true
    return writeEvent('interaction.created', { interaction: { ...started, status: 'in_progress' } })
  }

  return {
    write(chunk) {
      if (chunk.type === 'start') return start()
      if ((chunk.choice ?? ONLY_CHOICE) !== ONLY_CHOICE) return ''
      if (chunk.type === 'finish') finish = chunk.reason
      return start() + steps.write(chunk)
    },
    end(usage) {
      const interaction = {
        ...started,
        status: STATUS_OF[finish],
        ...(usage && { usage: toInteractionUsage(usage) }),
      }
      return start() + steps.close() + writeEvent('interaction.completed', { interaction }) + END
    },
    fail: error => start() + writeFailure(error, context),
  }
}

const writeFailure = (error: ClientError, { requestId }: ResponseContext): string =>
  writeEvent('error', {
    error: { code: googleStatus(error), message: `${error.message} (request id: ${requestId})` },
  }) + END

type TextStep = 'thought' | 'model_output'

const EMPTY_STEPS: Readonly<Record<TextStep, JsonObject>> = {
  thought: { type: 'thought', summary: [] },
  model_output: { type: 'model_output', content: [] },
}

/** Numbers the steps. Texts follow one another; calls stay open until the end, since their arguments may alternate. */
function createStepWriter(interactionId: string) {
  const calls = new Map<number, number>()
  let count = 0
  let open: { readonly type: TextStep; readonly index: number } | undefined

  const begin = (step: JsonObject): string => writeEvent('step.start', { index: count++, step })
  const stop = (index: number): string => writeEvent('step.stop', { index })
  const closeText = (): string => {
    const closed = open ? stop(open.index) : ''
    open = undefined
    return closed
  }
  const writeDelta = (type: TextStep, delta: JsonObject): string => {
    if (open?.type === type) return writeEvent('step.delta', { index: open.index, delta })
    const before = closeText()
    open = { type, index: count }
    return before + begin(EMPTY_STEPS[type]) + writeEvent('step.delta', { index: open.index, delta })
  }
  const writeArguments = (index: number | undefined, text: string): string =>
    index === undefined || text === ''
      ? ''
      : writeEvent('step.delta', { index, delta: { type: 'arguments_delta', arguments: text } })

  const write = (chunk: ContentChunk): string => {
    switch (chunk.type) {
      case 'text-delta':
      case 'refusal-delta':
      case 'audio-delta':
        return chunk.text === '' ? '' : writeDelta('model_output', { type: 'text', text: chunk.text })
      case 'reasoning-delta':
        return writeDelta('thought', { type: 'thought_summary', content: { type: 'text', text: chunk.text } })
      case 'reasoning-signature':
        return writeDelta('thought', {
          type: 'thought_signature',
          signature: carrySignature(chunk.signature),
        })
      case 'citation':
        return writeDelta('model_output', {
          type: 'text_annotation_delta',
          annotations: [toAnnotation(chunk.citation)],
        })
      case 'web-search':
        return (
          closeText() +
          searchSteps(chunk.search, `${interactionId}_${count}`)
            .map(step => begin(step) + stop(count - 1))
            .join('')
        )
      case 'tool-call-start': {
        const closed = closeText()
        const { id, name } = chunk
        calls.set(chunk.index, count)
        return (
          closed +
          begin({ type: 'function_call', id, name, arguments: {} }) +
          writeArguments(calls.get(chunk.index), chunk.arguments)
        )
      }
      case 'tool-arguments-delta':
        return writeArguments(calls.get(chunk.index), chunk.text)
      case 'finish':
        return ''
    }
  }

  return {
    write,
    close: (): string => closeText() + [...calls.values()].map(stop).join(''),
  }
}

/** Passes the provider's events through byte for byte. */
export const createPassthrough = (context: ResponseContext): StreamPassthrough => ({
  pass: ({ data, raw }) => (data === '[DONE]' ? '' : raw),
  end: () => END,
  fail: error => writeFailure(error, context),
})
