import { elapsedMs } from '../../core/clock.ts'
import { type Labels, type MetricsRegistry, createMetricsRegistry, Histogram } from '../../core/metrics.ts'
import { completionTokens, promptTokens } from '../../core/usage.ts'
import type { AttemptTrace } from '../routing/attempts.ts'
import { type CompletedRequest, failedAttempts, endingErrorType, failureErrorType, upstreamErrorType, type FailedRequest, type ObservedRequest, type TaskPoll, type RelayObserver, genAiOperation, genAiProvider, type ObservedOperation } from './observer.ts'
import type { Provider } from '../../provider-kit/contract/provider.ts'

/** Counts what is answered. Each request that begins ends once. */
export interface ResponseCounter {
  begin(): void
  /** `status`: of HTTP. */
  end(status: number): void
}

/** What the relay tells Prometheus of this process. */
export interface RelayMetrics extends RelayObserver {
  readonly responses: ResponseCounter
  /** Where others' figures are added. */
  readonly metrics: MetricsRegistry
}

/** Upper bounds in seconds or tokens, as given by opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-metrics. */
const DURATION = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
const FIRST_TOKEN = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const EACH_TOKEN = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5]
const TOKENS = Array.from({ length: 14 }, (_, power) => 4 ** power)

/** All that is counted of the requests with the same labels. */
interface Figures {
  readonly duration: Histogram
  /** Of streams that ended well. */
  readonly firstToken: Histogram
  readonly eachToken: Histogram
  readonly input: Histogram
  readonly output: Histogram
}

/** `common` stands in every line. */
export function createRelayMetrics(common: Labels = {}): RelayMetrics {
  const metrics = createMetricsRegistry(common)
  const requests = new SeriesSet<Figures>(() => ({
    duration: new Histogram(DURATION),
    firstToken: new Histogram(FIRST_TOKEN),
    eachToken: new Histogram(EACH_TOKEN),
    input: new Histogram(TOKENS),
    output: new Histogram(TOKENS),
  }))
  const attempts = new SeriesSet(() => new Histogram(DURATION))
  showRequests(metrics, requests)
  metrics.histogram('gen_ai_client_operation_duration_seconds', 'Time of each try of a vendor.', () =>
    attempts.all(),
  )
  return {
    metrics,
    responses: countAnswers(metrics),
    requestCompleted(request) {
      const endedMs = elapsedMs()
      seeAnswer(requests, request, endedMs)
      const answerError = upstreamErrorType(request.outcome.ending)
      seeAttempts(attempts, request.request, { traces: request.trace.attempts, endedMs, answerError })
    },
    requestFailed(request) {
      seeFailure(requests, request)
      seeAttempts(attempts, request.request, { traces: failedAttempts(request.error), endedMs: undefined })
    },
    requestRejected: () => undefined,
    taskPolled: poll => seePoll(attempts, poll),
  }
}

function seeAnswer(requests: SeriesSet<Figures>, request: CompletedRequest, endedMs: number): void {
  const { request, upstream, outcome } = request
  const error = endingErrorType(outcome.ending)
  const figures = requests.get({
    operation: request.operation.name,
    provider: upstream?.channel.provider,
    requestModel: upstream && request.model,
    ...(upstream && { responseModel: upstream.upstreamModel }),
    error,
  })
  const ms = endedMs - request.startedMs
  figures.duration.observe(ms / 1000)
  if (outcome.provenance === 'free') return
  const output = completionTokens(outcome.usage)
  figures.input.observe(promptTokens(outcome.usage))
  figures.output.observe(output)
  const { firstOutputMs } = outcome
  if (error !== undefined || firstOutputMs === undefined) return
  figures.firstToken.observe(firstOutputMs / 1000)
  if (output > 1) figures.eachToken.observe((ms - firstOutputMs) / 1000 / (output - 1))
}

/** A model that no vendor was asked for is a word of the client's, and may be any. */
function seeFailure(requests: SeriesSet<Figures>, { request, error }: FailedRequest): void {
  const asked = failedAttempts(error).findLast(trace => trace.call)?.call
  const labels = {
    operation: request.operation.name,
    provider: asked?.provider,
    requestModel: asked && request.model,
    error: failureErrorType(error),
  }
  requests.get(labels).duration.observe((elapsedMs() - request.startedMs) / 1000)
}

interface Tries {
  readonly traces: readonly AttemptTrace[]
  /** When the answer of the last of them had ended; undefined when none of them answered. */
  readonly endedMs: number | undefined
  /** What went wrong with that answer. */
  readonly answerError?: string | undefined
}

function seeAttempts(
  attempts: SeriesSet<Histogram>,
  { operation }: ObservedRequest,
  { traces, endedMs, answerError }: Tries,
): void {
  for (const { call, status, ms } of traces) {
    if (!call) continue
    const isAnswer = endedMs !== undefined && call === traces.at(-1)?.call
    const tried = attempts.get({
      operation: operation.name,
      provider: call.provider,
      requestModel: call.model,
      error: isAnswer ? answerError : String(status),
    })
    tried.observe((isAnswer ? endedMs - call.startedMs : ms) / 1000)
  }
}

function seePoll(
  attempts: SeriesSet<Histogram>,
  { operation, channel, startedMs, failedStatus }: TaskPoll,
): void {
  const error = failedStatus === undefined ? {} : { error: String(failedStatus) }
  const labels = { operation, provider: channel.provider, requestModel: undefined, ...error }
  attempts.get(labels).observe((elapsedMs() - startedMs) / 1000)
}

function showRequests(metrics: MetricsRegistry, requests: SeriesSet<Figures>): void {
  const each = (name: 'duration' | 'firstToken' | 'eachToken') => () =>
    requests.all().map(([labels, figures]) => [labels, figures[name]] as const)
  metrics.histogram(
    'gen_ai_server_request_duration_seconds',
    'Time of a model request, until its answer has ended.',
    each('duration'),
  )
  metrics.histogram(
    'gen_ai_server_time_to_first_token_seconds',
    'Time until the first output of a stream.',
    each('firstToken'),
  )
  metrics.histogram(
    'gen_ai_server_time_per_output_token_seconds',
    'Time of each token of a stream after its first output.',
    each('eachToken'),
  )
  metrics.histogram('gen_ai_client_token_usage', 'Tokens that requests were charged for.', () =>
    requests
      .all()
      .flatMap(([labels, { input, output }]) => [
        [{ ...labels, gen_ai_token_type: 'input' }, input] as const,
        [{ ...labels, gen_ai_token_type: 'output' }, output] as const,
      ]),
  )
}

function countAnswers(metrics: MetricsRegistry): ResponseCounter {
  const answeredByStatus = new Map<number, number>()
  metrics.counter('tollgate_relay_requests_total', 'Relay requests answered, by HTTP status.', () =>
    [...answeredByStatus].map(([status, count]) => [{ status }, count] as const),
  )
  let beingAnswered = 0
  metrics.gauge(
    'tollgate_relay_requests_waiting',
    'Relay requests whose answer has not begun.',
    () => beingAnswered,
  )
  metrics.gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss())
  return {
    begin() {
      beingAnswered += 1
    },
    end(status) {
      beingAnswered -= 1
      answeredByStatus.set(status, (answeredByStatus.get(status) ?? 0) + 1)
    },
  }
}

/** What tells requests apart. All but the models come from small closed sets. */
interface GenAiLabels {
  readonly operation: ObservedOperation
  readonly provider: Provider | undefined
  /** Undefined: not one that is served. */
  readonly requestModel: string | undefined
  readonly responseModel?: string
  readonly error?: string | undefined
}

interface Series<Figures> {
  readonly labels: GenAiLabels
  readonly figures: Figures
}

/** Each makes some hundred lines of the page that Prometheus reads. */
const SERIES_MAX = 200
/** How the conventions call what is not told apart. */
const OTHER = '_OTHER'

/** What is counted for each combination of labels. Beyond a number of them models are told apart no more. */
export class SeriesSet<Figures> {
  private readonly open: () => Figures
  private readonly known = new Map<string, Series<Figures>>()
  /** What was asked for last: most requests are like the one before, and a comparison is cheaper than a key. */
  private last: Series<Figures> | undefined

  constructor(open: () => Figures) {
    this.open = open
  }

  get(labels: GenAiLabels): Figures {
    if (this.last && isAlike(this.last.labels, labels)) return this.last.figures
    const figures = this.known.get(keyOf(labels))?.figures ?? this.begin(labels)
    this.last = { labels, figures }
    return figures
  }

  all(): readonly (readonly [labels: Readonly<Record<string, string>>, figures: Figures])[] {
    return [...this.known.values()].map(({ labels, figures }) => [labelsOf(labels), figures])
  }

  private begin(wanted: GenAiLabels): Figures {
    const labels = this.known.size < SERIES_MAX ? wanted : withoutModels(wanted)
    const key = keyOf(labels)
    const figures = this.known.get(key)?.figures ?? this.open()
    this.known.set(key, { labels, figures })
    return figures
  }
}

const isAlike = (one: GenAiLabels, other: GenAiLabels): boolean =>
  one.operation === other.operation &&
  one.provider === other.provider &&
  one.requestModel === other.requestModel &&
  one.responseModel === other.responseModel &&
  one.error === other.error

const keyOf = ({ operation, provider, requestModel, responseModel, error }: GenAiLabels): string =>
  `${operation}\n${provider?.type}\n${requestModel}\n${responseModel}\n${error}`

const withoutModels = ({ operation, provider, error }: GenAiLabels): GenAiLabels => ({
  operation,
  provider,
  requestModel: undefined,
  error,
})

const labelsOf = ({ operation, provider, requestModel, responseModel, error }: GenAiLabels) => ({
  gen_ai_operation_name: genAiOperation(operation),
  gen_ai_provider_name: provider ? genAiProvider(provider) : OTHER,
  gen_ai_request_model: requestModel ?? OTHER,
  ...(responseModel !== undefined && { gen_ai_response_model: responseModel }),
  ...(error !== undefined && { error_type: error }),
})
