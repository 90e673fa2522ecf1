import { GatewayError } from '#server/core/errors.ts'
import { newRequestId } from '#server/core/ids.ts'
import { textsOf } from '#server/core/language.ts'
import { completionTokens, promptTokens, type Usage } from '#server/core/usage.ts'
import { chat } from '#server/relay/operations/chat.ts'
import type { RoutedChannel } from '#server/relay/routing/channel-directory.ts'
import { callChannel, type JsonUpstreamResponse } from '#server/relay/upstream/call-channel.ts'
import { buildCall } from '#server/relay/upstream/prepare-call.ts'
import { chooseTestModel, type TestChannelDeps, toTestRequest, unusableChannel } from './test-channel.ts'

type Counting = 'included' | 'separate'

/** What an upstream reports for one request. Parts may be counted inside the totals or beside them. */
export interface ProbedUsage {
  readonly prompt: number
  readonly cached: number
  readonly completion: number
  readonly reasoning: number
  readonly separate: Usage['separate']
  /** Our estimate of the text that was received. */
  readonly estimatedText: number
}

interface UsageFindings {
  readonly cached_tokens?: Counting
  readonly reasoning_tokens?: Counting
  readonly usage_multiplier?: number
}

interface UsageProbeResult {
  readonly model: string
  readonly requests: readonly ProbedUsage[]
  readonly findings: UsageFindings
}

/** Words that are one token in the vocabularies of all large providers. */
const WORDS = ['time', 'year', 'people', 'way', 'day', 'man', 'thing', 'woman', 'life', 'child']
const SHORT_WORDS = 200
/** Providers cache prompts from 1,024 tokens on, some from 2,048 on. */
const LONG_WORDS = 2_200
const OUTPUT_TOKENS_MAX = 400
const TIMEOUT_MS = 120_000

/**
 * Finds out how the upstream of a channel counts: two prompts of different length show by what it multiplies, without the
 * hidden part of its prompt, and a repeated one shows cached tokens. Throws GatewayError when a request fails.
 */
export async function probeUsage(
  deps: TestChannelDeps,
  channelId: number,
  requestedModel: string,
): Promise<UsageProbeResult> {
  const channel = deps.channels.current().byId(channelId)
  if (!channel) throw new GatewayError('invalid_request', unusableChannel(channelId))
  const model = chooseTestModel(channel, requestedModel)
  const asReported = withoutSemantics(channel)
  const requests: ProbedUsage[] = []
  const [short, long] = [promptOf(SHORT_WORDS), promptOf(LONG_WORDS)]
  for (const prompt of [short, long, long])
    requests.push(await requestUsage(deps, asReported, { model, prompt }))
  return { model, requests, findings: findSemantics(requests) }
}

/** Begins with an id of its own, which no upstream has cached. */
const promptOf = (words: number): string =>
  [newRequestId(), ...Array.from({ length: words }, (_, index) => WORDS[index % WORDS.length])].join(' ')

function withoutSemantics(channel: RoutedChannel): RoutedChannel {
  const { cached_tokens: _, reasoning_tokens: __, usage_multiplier: ___, ...setting } = channel.view.setting
  return { ...channel, view: { ...channel.view, setting } }
}

interface ProbeRequest {
  readonly model: string
  readonly prompt: string
}

async function requestUsage(
  deps: TestChannelDeps,
  channel: RoutedChannel,
  { model, prompt }: ProbeRequest,
): Promise<ProbedUsage> {
  const messages = [{ role: 'user', content: `${prompt}\n\nHow many words are these? Answer with a number.` }]
  const body = { messages, max_tokens: OUTPUT_TOKENS_MAX }
  const request = toTestRequest(deps, channel, { model, operation: chat, body })
  const credential = await deps.credentials.get(channel)
  if (credential instanceof GatewayError) throw credential
  const prepared = buildCall(request, channel, { credential })
  if (!prepared) throw noFigures(model)
  const result = await callChannel(request, prepared, deps, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (result.kind === 'failure') throw new GatewayError('upstream_failed', textsOf(result.failure))
  if (result.kind !== 'json' || !result.usage) throw noFigures(model)
  return toProbedUsage(result.usage, result.reply)
}

const noFigures = (model: string): GatewayError =>
  new GatewayError('invalid_request', {
    zh: `${model} 的上游没有返回对话用量，无法检测`,
    en: `the upstream of ${model} reports no usage for chat, so nothing can be found out`,
  })

const toProbedUsage = (usage: Usage, reply: JsonUpstreamResponse['reply']): ProbedUsage => ({
  prompt: promptTokens(usage),
  cached: usage.separate?.cachedInput ?? usage.cachedInput,
  completion: completionTokens(usage),
  reasoning: usage.separate?.reasoning ?? usage.reasoning,
  separate: usage.separate,
  estimatedText: chat.outputTokens(reply),
})

/** What the figures of a short prompt, a long one, and the long one again show. */
export function findSemantics([short, long, again]: readonly ProbedUsage[]): UsageFindings {
  if (!short || !long || !again) return {}
  const cached = findCached(long, again)
  const reasoning = [short, long, again].map(findReasoning).find(counting => counting !== undefined)
  return {
    ...(cached && { cached_tokens: cached }),
    ...(reasoning && { reasoning_tokens: reasoning }),
    usage_multiplier: findMultiplier(short, long),
  }
}

/** Vocabularies differ by less than this. */
const VOCABULARY_DIFFERENCE = 0.2
const HUNDREDTHS = 100

function findMultiplier(short: ProbedUsage, long: ProbedUsage): number {
  const perWord = (long.prompt - short.prompt) / (LONG_WORDS - SHORT_WORDS)
  return Math.abs(perWord - 1) <= VOCABULARY_DIFFERENCE || perWord <= 0
    ? 1
    : Math.round(perWord * HUNDREDTHS) / HUNDREDTHS
}

/** Both prompts are equally long, so cached tokens are beside input where that shrinks by them. */
const LENGTH_DIFFERENCE = 0.05

function findCached(long: ProbedUsage, again: ProbedUsage): Counting | undefined {
  if (long.separate?.cachedInput !== undefined || again.separate?.cachedInput !== undefined) return 'separate'
  if (again.cached === 0) return undefined
  const isAsLong = (tokens: number): boolean =>
    Math.abs(tokens - long.prompt) <= long.prompt * LENGTH_DIFFERENCE
  if (isAsLong(again.prompt)) return 'included'
  return isAsLong(again.prompt + again.cached) ? 'separate' : undefined
}

/** Fewer tokens of reasoning than this do not stand out from the estimate of the text. */
const REASONING_TOKENS_MIN = 50

function findReasoning({
  separate,
  completion,
  reasoning,
  estimatedText,
}: ProbedUsage): Counting | undefined {
  if (separate?.reasoning !== undefined) return 'separate'
  if (reasoning < REASONING_TOKENS_MIN) return undefined
  const isText = Math.abs(completion - estimatedText) < Math.abs(completion - reasoning - estimatedText)
  return isText ? 'separate' : 'included'
}
