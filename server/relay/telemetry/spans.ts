import type { TraceContext } from '../types.ts'
import { elapsedMs, nowMs } from '../../core/clock.ts'
import type { TraceSpan } from '../../core/trace-span.ts'
import { completionTokens, promptTokens } from '../../core/usage.ts'
import { toClientError } from '../response/error-response.ts'
import type { AttemptTrace } from '../routing/attempts.ts'
import { failedAttempts, endingErrorType, failureErrorType, upstreamErrorType, type ObservedRequest, type RelayObserver, genAiOperation, genAiProvider } from './observer.ts'
import { newSpanId } from '../request/trace-context.ts'

/** Clients choose names of models; nobody needs more of one. */
const NAME_CHARACTERS_MAX = 128
const STATUS_OK = 200

type KeepSpans = (spans: readonly TraceSpan[]) => void

/**
 * Makes the spans of each request once it is over: one for the request, one for each try of a vendor, one for the
 * charge. They hold names, numbers and times; no content, no key, no address.
 */
export const createSpanObserver = (keep: KeepSpans): RelayObserver => ({
  requestCompleted({ request, trace, upstream, outcome, endedMs }) {
    const { traceContext } = request
    if (!traceContext?.isSampled) return
    const told = tellingFrom(traceContext)
    const attributes = {
      ...aboutOrder(request),
      'gen_ai.provider.name': upstream && genAiProvider(upstream.channel.provider),
      'gen_ai.response.model': upstream?.upstreamModel,
      'gen_ai.usage.input_tokens': promptTokens(outcome.usage),
      'gen_ai.usage.output_tokens': completionTokens(outcome.usage),
      'tollgate.first_output_ms': outcome.firstOutputMs && Math.round(outcome.firstOutputMs),
      'http.response.status_code': STATUS_OK,
      'error.type': endingErrorType(outcome.ending),
    }
    keep([
      told.request(nameOf(request), request.startedMs, attributes),
      ...told.attempts(request, trace.attempts, { endedMs, error: upstreamErrorType(outcome.ending) }),
      ...(upstream ? [told.charge(endedMs)] : []),
    ])
  },
  requestFailed({ request, error }) {
    const { traceContext } = request
    if (!traceContext?.isSampled) return
    const told = tellingFrom(traceContext)
    const attributes = { ...aboutOrder(request), ...aboutFailure(error) }
    keep([
      told.request(nameOf(request), request.startedMs, attributes),
      ...told.attempts(request, failedAttempts(error), undefined),
    ])
  },
  requestRejected({ requestId, startedMs, traceContext, error }) {
    if (!traceContext?.isSampled) return
    const attributes = { 'tollgate.request_id': requestId, ...aboutFailure(error) }
    keep([tellingFrom(traceContext).request('refused', startedMs, attributes)])
  },
  taskPolled({ operation, channel, startedMs, traceContext, failedStatus }) {
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
    about: Pick<TraceSpan, 'spanId' | 'parentId' | 'name' | 'kind' | 'attributes'>,
    [from, until]: readonly [number, number],
  ): TraceSpan => ({
    ...about,
    traceId,
    startedMs: wallMs + from,
    endedMs: wallMs + Math.max(from, until),
    isError: about.attributes['error.type'] !== undefined,
  })
  return {
    request: (name: string, startedMs: number, attributes: TraceSpan['attributes']): TraceSpan =>
      span({ spanId, parentId, name, kind: 'server', attributes }, [startedMs, endedMs]),
    question: (name: string, startedMs: number, attributes: TraceSpan['attributes']): TraceSpan =>
      span({ spanId, parentId, name, kind: 'client', attributes }, [startedMs, endedMs]),
    charge: (startedMs: number): TraceSpan =>
      span({ spanId: newSpanId(), parentId: spanId, name: 'charge', kind: 'internal', attributes: {} }, [
        startedMs,
        endedMs,
      ]),
    attempts: (order: ObservedRequest, traces: readonly AttemptTrace[], end: AnswerEnd | undefined): TraceSpan[] =>
      traces.flatMap((trace, index) => {
        const { call, ms } = trace
        if (!call?.spanId) return []
        const answer = index === traces.length - 1 ? end : undefined
        const about = {
          spanId: call.spanId,
          parentId: spanId,
          name: `${genAiOperation(order.operation.name)} ${clipped(call.model)}`,
          kind: 'client',
          attributes: {
            ...aboutAttempt(order, trace),
            'error.type': answer ? answer.error : String(trace.status),
          },
        } as const
        return [span(about, [call.startedMs, answer ? answer.endedMs : call.startedMs + ms])]
      }),
  }
}

const nameOf = ({ operation, model }: ObservedRequest): string =>
  `${genAiOperation(operation.name)} ${clipped(model)}`.trimEnd()

const aboutOrder = ({ requestId, caller, operation, model, maxOutputTokens, isStream }: ObservedRequest) => ({
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
  'error.type': failureErrorType(error),
})

const aboutAttempt = (order: ObservedRequest, { call, channelId, channelName, status }: AttemptTrace) => ({
  'gen_ai.operation.name': genAiOperation(order.operation.name),
  'gen_ai.provider.name': call && genAiProvider(call.provider),
  'gen_ai.request.model': call && clipped(call.model),
  'http.response.status_code': status,
  'tollgate.channel_id': channelId,
  'tollgate.channel_name': channelName,
})

const clipped = (name: string): string => name.slice(0, NAME_CHARACTERS_MAX)
