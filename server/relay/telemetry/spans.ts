import { elapsedMs, nowMs } from '../../core/clock.ts'
import type { Span } from '../../core/span.ts'
import { completionTokens, promptTokens } from '../../core/usage.ts'
import { toClientError } from '../response/error-response.ts'
import type { AttemptTrace } from '../upstream/attempts.ts'
import { genAiOperation, genAiProvider } from './gen-ai-names.ts'
import {
  attemptsOf,
  errorOfEnding,
  errorOfFailure,
  errorOfVendor,
  type SeenOrder,
  type Watch,
} from './observer.ts'
import { newSpanId, type TraceContext } from './trace-context.ts'

/** Clients choose names of models; nobody needs more of one. */
const NAME_CHARACTERS_MAX = 128
const STATUS_OK = 200

type KeepSpans = (spans: readonly Span[]) => void

/**
 * Makes the spans of each request once it is over: one for the request, one for each try of a vendor, one for the
 * charge. They hold names, numbers and times; no content, no key, no address.
 */
export const watchForSpans = (keep: KeepSpans): Watch => ({
  answered({ order, trace, adapted, outcome, endedMs }) {
    const { traceContext } = order
    if (!traceContext?.isSampled) return
    const told = tellingFrom(traceContext)
    const attributes = {
      ...aboutOrder(order),
      'gen_ai.provider.name': adapted && genAiProvider(adapted.channel.provider),
      'gen_ai.response.model': adapted?.upstreamModel,
      'gen_ai.usage.input_tokens': promptTokens(outcome.usage),
      'gen_ai.usage.output_tokens': completionTokens(outcome.usage),
      'tollgate.first_output_ms': outcome.firstOutputMs && Math.round(outcome.firstOutputMs),
      'http.response.status_code': STATUS_OK,
      'error.type': errorOfEnding(outcome.ending),
    }
    keep([
      told.request(nameOf(order), order.startedMs, attributes),
      ...told.attempts(order, trace.attempts, { endedMs, error: errorOfVendor(outcome.ending) }),
      ...(adapted ? [told.charge(endedMs)] : []),
    ])
  },
  failed({ order, error }) {
    const { traceContext } = order
    if (!traceContext?.isSampled) return
    const told = tellingFrom(traceContext)
    const attributes = { ...aboutOrder(order), ...aboutFailure(error) }
    keep([
      told.request(nameOf(order), order.startedMs, attributes),
      ...told.attempts(order, attemptsOf(error), undefined),
    ])
  },
  refused({ requestId, startedMs, traceContext, error }) {
    if (!traceContext?.isSampled) return
    const attributes = { 'tollgate.request_id': requestId, ...aboutFailure(error) }
    keep([tellingFrom(traceContext).request('refused', startedMs, attributes)])
  },
  polled({ operation, channel, startedMs, traceContext, failedStatus }) {
    if (!traceContext?.isSampled) return
    const name = genAiOperation(operation)
    const attributes = {
      'gen_ai.operation.name': name,
      'gen_ai.provider.name': genAiProvider(channel.provider),
      'tollgate.channel_id': channel.id,
      'tollgate.channel_name': channel.name,
      'http.response.status_code': failedStatus ?? STATUS_OK,
      'error.type': failedStatus === undefined ? undefined : String(failedStatus),
    }
    keep([tellingFrom(traceContext).question(name, startedMs, attributes)])
  },
})

/** How the answer of the last attempt ended, if one answered. */
interface AnswerEnd {
  readonly endedMs: number
  readonly error: string | undefined
}

/** What is told now of things that are over: their times are turned into those of the wall. */
function tellingFrom({ traceId, spanId, parentId }: TraceContext) {
  const endedMs = elapsedMs()
  const wallMs = nowMs() - endedMs
  const span = (
    about: Pick<Span, 'spanId' | 'parentId' | 'name' | 'kind' | 'attributes'>,
    [from, until]: readonly [number, number],
  ): Span => ({
    ...about,
    traceId,
    startedMs: wallMs + from,
    endedMs: wallMs + Math.max(from, until),
    isError: about.attributes['error.type'] !== undefined,
  })
  return {
    request: (name: string, startedMs: number, attributes: Span['attributes']): Span =>
      span({ spanId, parentId, name, kind: 'server', attributes }, [startedMs, endedMs]),
    question: (name: string, startedMs: number, attributes: Span['attributes']): Span =>
      span({ spanId, parentId, name, kind: 'client', attributes }, [startedMs, endedMs]),
    charge: (startedMs: number): Span =>
      span({ spanId: newSpanId(), parentId: spanId, name: 'charge', kind: 'internal', attributes: {} }, [
        startedMs,
        endedMs,
      ]),
    attempts: (order: SeenOrder, traces: readonly AttemptTrace[], end: AnswerEnd | undefined): Span[] =>
      traces.flatMap((trace, index) => {
        const { asked, ms } = trace
        if (!asked?.spanId) return []
        const answer = index === traces.length - 1 ? end : undefined
        const about = {
          spanId: asked.spanId,
          parentId: spanId,
          name: `${genAiOperation(order.operation.name)} ${clipped(asked.model)}`,
          kind: 'client',
          attributes: {
            ...aboutAttempt(order, trace),
            'error.type': answer ? answer.error : String(trace.status),
          },
        } as const
        return [span(about, [asked.startedMs, answer ? answer.endedMs : asked.startedMs + ms])]
      }),
  }
}

const nameOf = ({ operation, model }: SeenOrder): string =>
  `${genAiOperation(operation.name)} ${clipped(model)}`.trimEnd()

const aboutOrder = ({ requestId, caller, operation, model, maxOutputTokens, isStream }: SeenOrder) => ({
  'gen_ai.operation.name': genAiOperation(operation.name),
  'gen_ai.request.model': clipped(model) || undefined,
  'gen_ai.request.max_tokens': maxOutputTokens,
  'tollgate.request_id': requestId,
  'tollgate.user_id': caller.userId,
  'tollgate.token_id': caller.token?.id,
  'tollgate.group': caller.group,
  'tollgate.is_stream': String(isStream),
})

const aboutFailure = (error: unknown) => ({
  'http.response.status_code': toClientError(error).status,
  'error.type': errorOfFailure(error),
})

const aboutAttempt = (order: SeenOrder, { asked, channelId, channelName, status }: AttemptTrace) => ({
  'gen_ai.operation.name': genAiOperation(order.operation.name),
  'gen_ai.provider.name': asked && genAiProvider(asked.provider),
  'gen_ai.request.model': asked && clipped(asked.model),
  'http.response.status_code': status,
  'tollgate.channel_id': channelId,
  'tollgate.channel_name': channelName,
})

const clipped = (name: string): string => name.slice(0, NAME_CHARACTERS_MAX)
