import { elapsedMs } from '#server/core/clock.ts'
import { Histogram, type MetricsRegistry } from '#server/core/telemetry/metrics.ts'
import { completionTokens, promptTokens } from '#server/core/usage.ts'
import type { Provider } from '#server/provider-kit/contract/provider.ts'
import type { AttemptTrace } from '#server/relay/routing/attempts.ts'
import {
  type CompletedRequest,
  endingErrorType,
  type FailedRequest,
  failedAttempts,
  failureErrorType,
  genAiOperation,
  genAiProvider,
  type ObservedOperation,
  type ObservedRequest,
  type RelayObserver,
  type TaskPoll,
  upstreamErrorType,
} from '#server/relay/telemetry/observer.ts'

/** Upper bounds in seconds or tokens, from opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-metrics. */
const DURATION_BUCKETS = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
]
const FIRST_TOKEN_BUCKETS = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
]
const PER_TOKEN_BUCKETS = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5]
const TOKEN_BUCKETS = Array.from({ length: 14 }, (_, power) => 4 ** power)

/** The histograms of the requests with the same labels. */
interface RequestHistograms {
  readonly duration: Histogram
  /** This and `perToken`: only of streams that completed. */
  readonly firstToken: Histogram
  readonly perToken: Histogram
  readonly inputTokens: Histogram
  readonly outputTokens: Histogram
}

/** The observer that counts requests in a registry. */
export function observeInto(metrics: MetricsRegistry): RelayObserver {
  const requests = new SeriesSet<RequestHistograms>(() => ({
    duration: new Histogram(DURATION_BUCKETS),
    firstToken: new Histogram(FIRST_TOKEN_BUCKETS),
    perToken: new Histogram(PER_TOKEN_BUCKETS),
    inputTokens: new Histogram(TOKEN_BUCKETS),
    outputTokens: new Histogram(TOKEN_BUCKETS),
  }))
  const attempts = new SeriesSet(() => new Histogram(DURATION_BUCKETS))
  let rejectedUsages = 0
  registerRequests(metrics, requests)
  metrics.counter('tollgate_rejected_usage_total', 'Responses whose usage cannot be true.', () => [
    [{}, rejectedUsages],
  ])
  metrics.histogram('gen_ai_client_operation_duration_seconds', 'Duration of each upstream attempt.', () =>
    attempts.all(),
  )
  return {
    requestCompleted(completed) {
      const endedMs = elapsedMs()
      observeCompleted(requests, completed, endedMs)
      if (completed.outcome.rejectedUsage) rejectedUsages += 1
      const responseError = upstreamErrorType(completed.outcome.ending)
      observeAttempts(attempts, completed.request, {
        traces: completed.trace.attempts,
        endedMs,
        responseError,
      })
    },
    requestFailed(failed) {
      observeFailed(requests, failed)
      observeAttempts(attempts, failed.request, { traces: failedAttempts(failed.error), endedMs: undefined })
    },
    requestRejected: () => undefined,
    taskPolled: poll => observePoll(attempts, poll),
  }
}

function observeCompleted(
  requests: SeriesSet<RequestHistograms>,
  { request, upstream, outcome }: CompletedRequest,
  endedMs: number,
): void {
  const error = endingErrorType(outcome.ending)
  const histograms = requests.get({
    operation: request.operation.name,
    provider: upstream?.channel.provider,
    requestModel: upstream && request.model,
    ...(upstream && { responseModel: upstream.upstreamModel }),
    error,
  })
  const ms = endedMs - request.startedMs
  histograms.duration.observe(ms / 1000)
  if (outcome.provenance === 'free') return
  const output = completionTokens(outcome.usage)
  histograms.inputTokens.observe(promptTokens(outcome.usage))
  histograms.outputTokens.observe(output)
  const { firstOutputMs } = outcome
  if (error !== undefined || firstOutputMs === undefined) return
  histograms.firstToken.observe(firstOutputMs / 1000)
  if (output > 1) histograms.perToken.observe((ms - firstOutputMs) / 1000 / (output - 1))
}

/** The model is a label only if it was sent upstream: otherwise it is arbitrary text of the client. */
function observeFailed(requests: SeriesSet<RequestHistograms>, { request, error }: FailedRequest): void {
  const call = failedAttempts(error).findLast(trace => trace.call)?.call
  const labels = {
    operation: request.operation.name,
    provider: call?.provider,
    requestModel: call && request.model,
    error: failureErrorType(error),
  }
  requests.get(labels).duration.observe((elapsedMs() - request.startedMs) / 1000)
}

interface FinishedAttempts {
  readonly traces: readonly AttemptTrace[]
  /** The end of the last attempt's response; undefined when no attempt led to a response. */
  readonly endedMs: number | undefined
  readonly responseError?: string | undefined
}

function observeAttempts(
  attempts: SeriesSet<Histogram>,
  { operation }: ObservedRequest,
  { traces, endedMs, responseError }: FinishedAttempts,
): void {
  for (const { call, status, ms } of traces) {
    if (!call) continue
    const hasResponse = endedMs !== undefined && call === traces.at(-1)?.call
    const histogram = attempts.get({
      operation: operation.name,
      provider: call.provider,
      requestModel: call.model,
      error: hasResponse ? responseError : String(status),
    })
    histogram.observe((hasResponse ? endedMs - call.startedMs : ms) / 1000)
  }
}

function observePoll(
  attempts: SeriesSet<Histogram>,
  { operation, channel, startedMs, failedStatus }: TaskPoll,
): void {
  const error = failedStatus === undefined ? {} : { error: String(failedStatus) }
  const labels = { operation, provider: channel.provider, requestModel: undefined, ...error }
  attempts.get(labels).observe((elapsedMs() - startedMs) / 1000)
}

function registerRequests(metrics: MetricsRegistry, requests: SeriesSet<RequestHistograms>): void {
  const all = (name: 'duration' | 'firstToken' | 'perToken') => () =>
    requests.all().map(([labels, histograms]) => [labels, histograms[name]] as const)
  metrics.histogram(
    'gen_ai_server_request_duration_seconds',
    'Duration of a model request, including its whole response.',
    all('duration'),
  )
  metrics.histogram(
    'gen_ai_server_time_to_first_token_seconds',
    'Time to the first output of a stream.',
    all('firstToken'),
  )
  metrics.histogram(
    'gen_ai_server_time_per_output_token_seconds',
    'Time per token of a stream after its first output.',
    all('perToken'),
  )
  metrics.histogram('gen_ai_client_token_usage', 'Tokens charged to requests.', () =>
    requests
      .all()
      .flatMap(([labels, { inputTokens, outputTokens }]) => [
        [{ ...labels, gen_ai_token_type: 'input' }, inputTokens] as const,
        [{ ...labels, gen_ai_token_type: 'output' }, outputTokens] as const,
      ]),
  )
}

/** The labels of a series. All but the models come from small closed sets. */
interface GenAiLabels {
  readonly operation: ObservedOperation
  readonly provider: Provider | undefined
  /** Undefined when it is not a model that is served. */
  readonly requestModel: string | undefined
  readonly responseModel?: string
  readonly error?: string | undefined
}

interface Series<Value> {
  readonly labels: GenAiLabels
  readonly value: Value
}

/** Each series adds about a hundred lines to the page that Prometheus scrapes. */
const SERIES_MAX = 200
/** The conventions' fallback for values that are not distinguished. */
const OTHER = '_OTHER'

/** One value for each combination of labels. Above the maximum, new series are no longer distinguished by model. */
export class SeriesSet<Value> {
  private readonly create: () => Value
  private readonly series = new Map<string, Series<Value>>()
  /** Most requests resemble the previous one, and comparing labels is cheaper than building a key. */
  private last: Series<Value> | undefined

  constructor(create: () => Value) {
    this.create = create
  }

  get(labels: GenAiLabels): Value {
    if (this.last && areEqual(this.last.labels, labels)) return this.last.value
    const value = this.series.get(seriesKey(labels))?.value ?? this.add(labels)
    this.last = { labels, value }
    return value
  }

  all(): readonly (readonly [labels: Readonly<Record<string, string>>, value: Value])[] {
    return [...this.series.values()].map(({ labels, value }) => [toPrometheusLabels(labels), value])
  }

  private add(requested: GenAiLabels): Value {
    const labels = this.series.size < SERIES_MAX ? requested : withoutModels(requested)
    const key = seriesKey(labels)
    const value = this.series.get(key)?.value ?? this.create()
    this.series.set(key, { labels, value })
    return value
  }
}

const areEqual = (one: GenAiLabels, other: GenAiLabels): boolean =>
  one.operation === other.operation &&
  one.provider === other.provider &&
  one.requestModel === other.requestModel &&
  one.responseModel === other.responseModel &&
  one.error === other.error

const seriesKey = ({ operation, provider, requestModel, responseModel, error }: GenAiLabels): string =>
  `${operation}\n${provider?.type}\n${requestModel}\n${responseModel}\n${error}`

const withoutModels = ({ operation, provider, error }: GenAiLabels): GenAiLabels => ({
  operation,
  provider,
  requestModel: undefined,
  error,
})

const toPrometheusLabels = ({ operation, provider, requestModel, responseModel, error }: GenAiLabels) => ({
  gen_ai_operation_name: genAiOperation(operation),
  gen_ai_provider_name: provider ? genAiProvider(provider) : OTHER,
  gen_ai_request_model: requestModel ?? OTHER,
  ...(responseModel !== undefined && { gen_ai_response_model: responseModel }),
  ...(error !== undefined && { error_type: error }),
})
