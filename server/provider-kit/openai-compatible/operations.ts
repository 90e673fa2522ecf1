import { GatewayError } from '../../core/errors.ts'
import type { Usage } from '../../core/usage.ts'
import type { ChatChoice, ChatChunk, ChatReply } from '../contract/chat.ts'
import {
  type AdapterCall,
  type AdapterResult,
  bearerHeaders,
  type ChannelView,
  type EmbeddingsAdapter,
  type ModelListAdapter,
  type ModerationAdapter,
  type NativeAdapter,
  type ProviderIo,
  type RealtimeAdapter,
  type RerankAdapter,
  type StreamReader,
} from '../contract/operation-adapter.ts'
import type {
  EmbeddingsBody,
  ModerationBody,
  RerankBody,
  RerankDocument,
  RerankResult,
} from '../contract/operations.ts'
import type { AccountBalance, Provider } from '../contract/provider.ts'
import { usageFromTotals } from '../extra-usage.ts'
import { createFailureReader, readEmbeddedFailure } from '../failures.ts'
import { asArray, asCount, asObject, asString, isObject, type JsonObject } from '../json.ts'
import { openaiCompatibleChat } from './chat.ts'
import {
  createChatStreamReader,
  readFinish,
  readInterruptedFailure,
  readOpenaiUsage,
  readResponseUsage,
} from './chat-response.ts'
import {
  openaiCompatibleImageEdits,
  openaiCompatibleImages,
  openaiCompatibleImageVariations,
  openaiCompatibleSpeech,
  openaiCompatibleTranscription,
  openaiCompatibleTranslation,
} from './media.ts'
import { type EndpointOptions, jsonRequest, openaiUrl } from './request.ts'
import { openaiCompatibleVoices } from './voices.ts'

interface OpenaiCompatibleCompletions extends EndpointOptions<JsonObject> {
  /** Whether a model supports text completions; the others are served through chat. By default all do. */
  readonly serves?: (model: string) => boolean
}

const COMPLETIONS_PATH = '/v1/completions'

/**
 * Text completions for providers that still support them. Source: platform.openai.com/docs/api-reference/completions
 */
export const openaiCompatibleCompletions = ({
  serves,
  ...provider
}: OpenaiCompatibleCompletions = {}): NativeAdapter => ({
  nativeFormat: 'openai',
  framing: 'sse',
  request: call => {
    const options = { ...asObject(call.body.stream_options), include_usage: true }
    const body = call.isStream ? { ...call.body, stream_options: options } : call.body
    return jsonRequest({ ...call, body }, COMPLETIONS_PATH, provider)
  },
  reply: readCompletion,
  stream: createCompletionStreamReader,
  ...(provider.revokedKey && { failure: createFailureReader(provider.revokedKey) }),
  ...(serves && { serves }),
})

/** Text completions with a chat response, as Mistral has them. */
export function openaiCompatibleFim({ serves, ...provider }: OpenaiCompatibleCompletions): NativeAdapter {
  const { framing, reply, stream } = openaiCompatibleChat()
  return {
    ...(framing && { framing }),
    request: call => jsonRequest(call, '/v1/fim/completions', provider),
    reply,
    ...(stream && { stream }),
    ...(serves && { serves }),
  }
}

function readCompletion(json: unknown): AdapterResult<ChatReply> {
  const broken = isObject(json) ? readInterruptedFailure(json) : undefined
  if (broken || !isObject(json) || json.error || !Array.isArray(json.choices))
    return { kind: 'failure', failure: broken ?? readEmbeddedFailure(json) }
  const choices = json.choices.map(toCompletionChoice)
  const reply = { id: asString(json.id), model: asString(json.model), choices }
  return { kind: 'reply', reply, usage: readResponseUsage(json) }
}

function toCompletionChoice(json: unknown): ChatChoice {
  const { text, finish_reason } = asObject(json)
  return { text: asString(text) ?? '', finish: readFinish(finish_reason) ?? 'stop' }
}

/** Like chat events, except that a choice holds its text directly. */
const createCompletionStreamReader = ({
  requestId,
}: Pick<AdapterCall<unknown>, 'requestId'>): StreamReader<ChatChunk> =>
  createChatStreamReader(
    {
      readUsage: readResponseUsage,
      readFailure: json => (json.error ? readEmbeddedFailure(json) : readInterruptedFailure(json)),
      readDelta: choice => ({ content: choice.text }),
    },
    requestId,
  )

/**
 * Embeddings for OpenAI-compatible providers. Responses are rewritten instead of passed through: many servers send
 * numbers although base64 was requested, which OpenAI's own clients cannot read.
 * Source: platform.openai.com/docs/api-reference/embeddings
 */
export function openaiCompatibleEmbeddings(
  provider: EndpointOptions<EmbeddingsBody> = {},
): EmbeddingsAdapter {
  return {
    request: call => jsonRequest(withoutTaskType(call), '/v1/embeddings', provider),
    ...(provider.revokedKey && { failure: createFailureReader(provider.revokedKey) }),
    reply(json) {
      if (!isObject(json) || json.error || !Array.isArray(json.data))
        return { kind: 'failure', failure: readEmbeddedFailure(json) }
      const rows = json.data.map(asObject).sort((a, b) => asCount(a.index) - asCount(b.index))
      const vectors = rows.map(row => toVector(row.embedding))
      return {
        kind: 'reply',
        reply: { model: asString(json.model), vectors },
        usage: readOpenaiUsage(json.usage),
      }
    },
  }
}

/** OpenAI's API has no task type. */
function withoutTaskType(call: AdapterCall<EmbeddingsBody>): AdapterCall<EmbeddingsBody> {
  const { task_type, ...body } = call.body
  return { ...call, body: { ...body, model: call.body.model, input: call.body.input } }
}

const toVector = (embedding: unknown): readonly number[] | string => {
  if (typeof embedding === 'string') return embedding
  return Array.isArray(embedding) ? embedding.map(Number) : []
}

/** Moderation for OpenAI-compatible providers. Source: platform.openai.com/docs/api-reference/moderations */
export function openaiCompatibleModeration(
  provider: EndpointOptions<ModerationBody> = {},
): ModerationAdapter {
  return {
    request: call => jsonRequest(call, '/v1/moderations', provider),
    reply(json) {
      if (!isObject(json) || json.error || !Array.isArray(json.results))
        return { kind: 'failure', failure: readEmbeddedFailure(json) }
      const results = json.results.filter(isObject)
      return { kind: 'reply', reply: { id: asString(json.id), model: asString(json.model), results } }
    },
    ...(provider.revokedKey && { failure: createFailureReader(provider.revokedKey) }),
  }
}

/** Rerank for providers that follow Jina, as nearly all do. OpenAI has no such API. Source: api.jina.ai/redoc */
export function createRerankAdapter(provider: EndpointOptions<RerankBody> = {}): RerankAdapter {
  return {
    request: call => jsonRequest(call, '/v1/rerank', provider),
    reply(json) {
      if (!isObject(json) || json.error || !Array.isArray(json.results))
        return { kind: 'failure', failure: readEmbeddedFailure(json) }
      const results = readRerankResults(json.results)
      return { kind: 'reply', reply: { model: asString(json.model), results }, usage: readRerankUsage(json) }
    },
    ...(provider.revokedKey && { failure: createFailureReader(provider.revokedKey) }),
  }
}

/** Reads the `results` of Jina's and Cohere's rerank responses. */
export const readRerankResults = (rows: unknown): readonly RerankResult[] =>
  asArray(rows)
    .map(asObject)
    .map(({ index, relevance_score, document }) => ({
      index: asCount(index),
      score: Number(relevance_score) || 0,
      document: readDocument(document),
    }))

const readDocument = (document: unknown): RerankDocument | undefined =>
  typeof document === 'string' || isObject(document) ? document : undefined

/** Usage is in `usage`, in `meta.tokens` or, in older responses, in `tokens`. */
function readRerankUsage({ usage, meta, tokens }: JsonObject): Usage | undefined {
  const { total_tokens, prompt_tokens } = asObject(usage)
  const counted = asObject(isObject(meta) && isObject(meta.tokens) ? meta.tokens : tokens)
  const prompt = asCount(total_tokens) || asCount(prompt_tokens)
  return prompt > 0
    ? usageFromTotals({ prompt, completion: 0 })
    : usageFromTotals({
        prompt: asCount(counted.input_tokens),
        completion: asCount(counted.output_tokens),
      })
}

interface OpenaiCompatibleModelList {
  readonly path?: string
  /** Builds the URL where it is not base URL and path. */
  readonly url?: (call: AdapterCall<undefined>) => string
  readonly headers?: (call: AdapterCall<undefined>) => Record<string, string>
}

/** The model list of OpenAI-compatible providers. Source: platform.openai.com/docs/api-reference/models/list */
export function openaiCompatibleModelList(provider: OpenaiCompatibleModelList = {}): ModelListAdapter {
  const { path = '/v1/models', headers = bearerHeaders } = provider
  const toUrl = provider.url ?? (call => openaiUrl(call.channel.baseUrl, path))
  return {
    request: call => ({ method: 'GET', url: toUrl(call), headers: headers(call) }),
    reply(json) {
      if (!isObject(json) || !Array.isArray(json.data))
        return { kind: 'failure', failure: readEmbeddedFailure(json) }
      const names = asArray(json.data).map(model => asString(asObject(model).id) ?? '')
      return { kind: 'reply', reply: names.filter(name => name !== '') }
    },
  }
}

interface OpenaiCompatibleRealtime {
  /** Builds the URL where it is not base URL and path. */
  readonly url?: (call: AdapterCall<JsonObject>) => string
  readonly headers?: (call: AdapterCall<JsonObject>) => Record<string, string>
}

/**
 * Realtime conversations over a WebSocket for OpenAI-compatible providers. Source:
 * platform.openai.com/docs/guides/realtime-websocket
 */
export const openaiCompatibleRealtime = (provider: OpenaiCompatibleRealtime = {}): RealtimeAdapter => ({
  request: call => ({
    url: (provider.url?.(call) ?? defaultRealtimeUrl(call)).replace(/^http/, 'ws'),
    headers: { ...(provider.headers?.(call) ?? bearerHeaders(call)), ...call.forwardedHeaders },
  }),
  reply: json => ({ kind: 'failure', failure: readEmbeddedFailure(json) }),
})

const defaultRealtimeUrl = ({ channel, model }: AdapterCall<JsonObject>): string =>
  `${openaiUrl(channel.baseUrl, '/v1/realtime')}?model=${encodeURIComponent(model)}`

/** Models that support text completions but not chat. */
const COMPLETION_MODELS = /-instruct|davinci|babbage|curie|(?:^|-)ada(?:-|$)/

/** Everything that OpenAI offers besides chat, at its own paths: for OpenAI and its resellers. */
export const openaiOperations = {
  completions: openaiCompatibleCompletions({ serves: model => COMPLETION_MODELS.test(model) }),
  embeddings: openaiCompatibleEmbeddings(),
  images: openaiCompatibleImages(),
  imageEdits: openaiCompatibleImageEdits(),
  imageVariations: openaiCompatibleImageVariations(),
  speech: openaiCompatibleSpeech(),
  voices: openaiCompatibleVoices,
  transcription: openaiCompatibleTranscription(),
  translation: openaiCompatibleTranslation(),
  moderation: openaiCompatibleModeration(),
  realtime: openaiCompatibleRealtime(),
}

const DAY_SECONDS = 86_400
const DAYS_WITHOUT_PAYMENT_METHOD = 100

/**
 * The balance in US dollars from OpenAI's legacy billing endpoints: the limit less the usage, which is in cents.
 * OpenAI itself no longer serves them to keys; resellers and gateways do.
 */
export async function openaiCompatibleBalance(channel: ChannelView, io: ProviderIo): Promise<AccountBalance> {
  const subscription = await fetchBilling('/v1/dashboard/billing/subscription', channel, io)
  const window =
    subscription.has_payment_method === false ? lastDays(io.nowSeconds) : thisMonth(io.nowSeconds)
  const usage = await fetchBilling(`/v1/dashboard/billing/usage?${window}`, channel, io)
  const { hard_limit_usd: limit } = subscription
  const { total_usage: usageCents } = usage
  if (typeof limit !== 'number' || typeof usageCents !== 'number')
    throw new GatewayError('upstream_failed', {
      zh: '账单响应缺少 hard_limit_usd 或 total_usage',
      en: 'the billing response lacks hard_limit_usd or total_usage',
    })
  return { amount: limit - usageCents / 100, currency: 'USD' }
}

async function fetchBilling(path: string, channel: ChannelView, io: ProviderIo) {
  const url = openaiUrl(channel.baseUrl, path)
  const { status, json } = await io.send({ method: 'GET', url, headers: bearerHeaders({ channel }) })
  if (status === 200 && isObject(json)) return json
  throw new GatewayError('upstream_failed', {
    zh: `账单接口返回状态码 ${status}，需要 200 和 JSON 对象`,
    en: `the billing endpoint returned status ${status}, needed 200 and an object`,
  })
}

const toDate = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)

const lastDays = (now: number): string =>
  `start_date=${toDate(now - DAYS_WITHOUT_PAYMENT_METHOD * DAY_SECONDS)}&end_date=${toDate(now)}`

const thisMonth = (now: number): string => `start_date=${toDate(now).slice(0, 8)}01&end_date=${toDate(now)}`

interface BalanceEndpointOptions {
  /** Path below the base URL. */
  readonly path?: string
  /** A fixed URL, where the account API has its own host. */
  readonly url?: string
  readonly headers?: (call: Pick<AdapterCall<unknown>, 'channel'>) => Record<string, string>
  /** Undefined where the response has no balance. */
  readonly read: (json: JsonObject, channel: ChannelView) => AccountBalance | undefined
}

/**
 * The balance of a provider that reports it in one GET. Throws a GatewayError `upstream_failed` when the response has
 * none.
 */
export const balanceEndpoint =
  ({
    path = '',
    url,
    headers = bearerHeaders,
    read,
  }: BalanceEndpointOptions): NonNullable<Provider['balance']> =>
  async (channel, io) => {
    const { status, json } = await io.send({
      method: 'GET',
      url: url ?? openaiUrl(channel.baseUrl, path),
      headers: headers({ channel }),
    })
    const balance = status === 200 && isObject(json) ? read(json, channel) : undefined
    if (balance && Number.isFinite(balance.amount)) return balance
    throw new GatewayError('upstream_failed', {
      zh: `账户接口返回状态码 ${status}，其中没有余额`,
      en: `the account endpoint returned status ${status} without a balance`,
    })
  }
