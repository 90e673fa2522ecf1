import { elapsedMs } from '../../core/clock.ts'
import { Histogram } from '../../core/histogram.ts'
import { type Labels, type Metrics, openMetrics } from '../../core/metrics.ts'
import { completionTokens, promptTokens } from '../../core/usage.ts'
import type { AttemptTrace } from '../upstream/attempts.ts'
import {
  type AnsweredRequest,
  attemptsOf,
  errorOfEnding,
  errorOfFailure,
  errorOfVendor,
  type FailedRequest,
  type SeenOrder,
  type VendorPoll,
  type Watch,
} from './observer.ts'
import { SeriesSet } from './series-set.ts'

/** Counts what is answered. Each request that begins ends once. */
export interface AnswerCount {
  begin(): void
  /** `status`: of HTTP. */
  end(status: number): void
}

/** What the relay tells Prometheus of this process. */
export interface RelayMetrics extends Watch {
  readonly answers: AnswerCount
  /** Where others' figures are added. */
  readonly metrics: Metrics
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
export function openRelayMetrics(common: Labels = {}): RelayMetrics {
  const metrics = openMetrics(common)
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
    answers: countAnswers(metrics),
    answered(request) {
      const endedMs = elapsedMs()
      seeAnswer(requests, request, endedMs)
      const answerError = errorOfVendor(request.outcome.ending)
      seeAttempts(attempts, request.order, { traces: request.trace.attempts, endedMs, answerError })
    },
    failed(request) {
      seeFailure(requests, request)
      seeAttempts(attempts, request.order, { traces: attemptsOf(request.error), endedMs: undefined })
    },
    refused: () => undefined,
    polled: poll => seePoll(attempts, poll),
  }
}

function seeAnswer(requests: SeriesSet<Figures>, request: AnsweredRequest, endedMs: number): void {
  const { order, adapted, outcome } = request
  const error = errorOfEnding(outcome.ending)
  const figures = requests.of({
    operation: order.operation.name,
    provider: adapted?.channel.provider,
    requestModel: adapted && order.model,
    ...(adapted && { responseModel: adapted.upstreamModel }),
    error,
  })
  const ms = endedMs - order.startedMs
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
function seeFailure(requests: SeriesSet<Figures>, { order, error }: FailedRequest): void {
  const asked = attemptsOf(error).findLast(trace => trace.asked)?.asked
  const labels = {
    operation: order.operation.name,
    provider: asked?.provider,
    requestModel: asked && order.model,
    error: errorOfFailure(error),
  }
  requests.of(labels).duration.observe((elapsedMs() - order.startedMs) / 1000)
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
  { operation }: SeenOrder,
  { traces, endedMs, answerError }: Tries,
): void {
  for (const { asked, status, ms } of traces) {
    if (!asked) continue
    const isAnswer = endedMs !== undefined && asked === traces.at(-1)?.asked
    const tried = attempts.of({
      operation: operation.name,
      provider: asked.provider,
      requestModel: asked.model,
      error: isAnswer ? answerError : String(status),
    })
    tried.observe((isAnswer ? endedMs - asked.startedMs : ms) / 1000)
  }
}

function seePoll(
  attempts: SeriesSet<Histogram>,
  { operation, channel, startedMs, failedStatus }: VendorPoll,
): void {
  const error = failedStatus === undefined ? {} : { error: String(failedStatus) }
  const labels = { operation, provider: channel.provider, requestModel: undefined, ...error }
  attempts.of(labels).observe((elapsedMs() - startedMs) / 1000)
}

function showRequests(metrics: Metrics, requests: SeriesSet<Figures>): void {
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

function countAnswers(metrics: Metrics): AnswerCount {
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
