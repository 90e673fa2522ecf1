import { elapsedMs, nowMs } from '#server/core/clock.ts'
import { GatewayError } from '#server/core/errors.ts'
import { completionTokens, promptTokens } from '#server/core/usage.ts'
import { newSpanId } from '#server/relay/request/trace-context.ts'
import { AttemptsFailed, type AttemptTrace } from '#server/relay/routing/attempts.ts'
import {
  endingErrorType,
  failedAttempts,
  failureErrorType,
  genAiOperation,
  genAiProvider,
  type ObservedRequest,
  type RelayObserver,
  STATUS_INTERNAL_ERROR,
  upstreamErrorType,
} from '#server/relay/telemetry/observer.ts'
import type { TraceContext } from '#server/relay/types.ts'
import type { TraceSpan } from './trace-span.ts'

/** Clients choose model names freely; longer ones are cut. */
const MODEL_CHARS_MAX = 128
const STATUS_OK = 200

type ExportSpans = (spans: readonly TraceSpan[]) => void

/**
 * Creates the spans of each request once it is over: one for the request, one for each upstream attempt, one for the
 * charge. They hold names, numbers and times, but no content, keys or addresses.
 */
export const createSpanObserver = (exportSpans: ExportSpans): RelayObserver => ({
  requestCompleted({ request, trace, upstream, outcome, endedMs }) {
    const { traceContext } = request
    if (!traceContext?.isSampled) return
    const spans = createSpanFactory(traceContext)
    const attributes = {
      ...requestAttributes(request),
      'gen_ai.provider.name': upstream && genAiProvider(upstream.channel.provider),
      'gen_ai.response.model': upstream?.upstreamModel,
      'gen_ai.usage.input_tokens': promptTokens(outcome.usage),
      'gen_ai.usage.output_tokens': completionTokens(outcome.usage),
      'tollgate.first_output_ms': outcome.firstOutputMs && Math.round(outcome.firstOutputMs),
      'http.response.status_code': STATUS_OK,
      'error.type': endingErrorType(outcome.ending),
    }
    exportSpans([
      spans.request(spanName(request), request.startedMs, attributes),
      ...spans.attempts(request, trace.attempts, { endedMs, error: upstreamErrorType(outcome.ending) }),
      ...(upstream ? [spans.charge(endedMs)] : []),
    ])
  },
  requestFailed({ request, error }) {
    const { traceContext } = request
    if (!traceContext?.isSampled) return
    const spans = createSpanFactory(traceContext)
    const attributes = { ...requestAttributes(request), ...errorAttributes(error) }
    exportSpans([
      spans.request(spanName(request), request.startedMs, attributes),
      ...spans.attempts(request, failedAttempts(error), undefined),
    ])
  },
  requestRejected({ requestId, startedMs, traceContext, error }) {
    if (!traceContext?.isSampled) return
    const attributes = { 'tollgate.request_id': requestId, ...errorAttributes(error) }
    exportSpans([createSpanFactory(traceContext).request('refused', startedMs, attributes)])
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
    exportSpans([createSpanFactory(traceContext).poll(name, startedMs, attributes)])
  },
})

/** The end of the last attempt's response, if there was one. */
interface ResponseEnd {
  readonly endedMs: number
  readonly error: string | undefined
}

/** Spans are created afterwards, so their times are converted from `elapsedMs` to the wall clock. */
function createSpanFactory({ traceId, spanId, parentId }: TraceContext) {
  const endedMs = elapsedMs()
  const wallClockOffsetMs = nowMs() - endedMs
  const span = (
    about: Pick<TraceSpan, 'spanId' | 'parentId' | 'name' | 'kind' | 'attributes'>,
    [from, until]: readonly [number, number],
  ): TraceSpan => ({
    ...about,
    traceId,
    startedMs: wallClockOffsetMs + from,
    endedMs: wallClockOffsetMs + Math.max(from, until),
    isError: about.attributes['error.type'] !== undefined,
  })
  return {
    request: (name: string, startedMs: number, attributes: TraceSpan['attributes']): TraceSpan =>
      span({ spanId, parentId, name, kind: 'server', attributes }, [startedMs, endedMs]),
    poll: (name: string, startedMs: number, attributes: TraceSpan['attributes']): TraceSpan =>
      span({ spanId, parentId, name, kind: 'client', attributes }, [startedMs, endedMs]),
    charge: (startedMs: number): TraceSpan =>
      span({ spanId: newSpanId(), parentId: spanId, name: 'charge', kind: 'internal', attributes: {} }, [
        startedMs,
        endedMs,
      ]),
    attempts: (
      request: ObservedRequest,
      traces: readonly AttemptTrace[],
      responseEnd: ResponseEnd | undefined,
    ): TraceSpan[] =>
      traces.flatMap((trace, index) => {
        const { call, ms } = trace
        if (!call?.spanId) return []
        const end = index === traces.length - 1 ? responseEnd : undefined
        const about = {
          spanId: call.spanId,
          parentId: spanId,
          name: `${genAiOperation(request.operation.name)} ${truncate(call.model)}`,
          kind: 'client',
          attributes: {
            ...attemptAttributes(request, trace),
            'error.type': end ? end.error : String(trace.status),
          },
        } as const
        return [span(about, [call.startedMs, end ? end.endedMs : call.startedMs + ms])]
      }),
  }
}

const spanName = ({ operation, model }: ObservedRequest): string =>
  `${genAiOperation(operation.name)} ${truncate(model)}`.trimEnd()

const requestAttributes = (request: ObservedRequest) => ({
  'gen_ai.operation.name': genAiOperation(request.operation.name),
  'gen_ai.request.model': truncate(request.model) || undefined,
  'gen_ai.request.max_tokens': request.maxOutputTokens,
  'tollgate.request_id': request.requestId,
  'tollgate.user_id': request.caller.userId,
  'tollgate.token_id': request.caller.token?.id,
  'tollgate.group': request.caller.group,
  'tollgate.is_stream': String(request.isStream),
})

const errorAttributes = (error: unknown) => ({
  'http.response.status_code': failureStatus(error),
  'error.type': failureErrorType(error),
})

const attemptAttributes = (
  request: ObservedRequest,
  { call, channelId, channelName, status }: AttemptTrace,
) => ({
  'gen_ai.operation.name': genAiOperation(request.operation.name),
  'gen_ai.provider.name': call && genAiProvider(call.provider),
  'gen_ai.request.model': call && truncate(call.model),
  'http.response.status_code': status,
  'tollgate.channel_id': channelId,
  'tollgate.channel_name': channelName,
})

const truncate = (model: string): string => model.slice(0, MODEL_CHARS_MAX)

/** The HTTP status that the client receives for an error. */
function failureStatus(error: unknown): number {
  if (error instanceof AttemptsFailed) return error.failure.status
  return error instanceof GatewayError ? error.status : STATUS_INTERNAL_ERROR
}
