import { elapsedMs, nowSeconds } from '#server/core/clock.ts'
import { errorTexts, GatewayError } from '#server/core/errors.ts'
import { newRequestId } from '#server/core/ids.ts'
import { type BothLanguages, sameInBoth, textsOf } from '#server/core/language.ts'
import { isEmbeddingModel } from '#server/core/model-names.ts'
import type { RoutingChannelRow } from '#server/db/channels/channels.ts'
import type { Dialects } from '#server/dialects/dialects.ts'
import type { Failure } from '#server/provider-kit/failures.ts'
import type { JsonObject } from '#server/provider-kit/json.ts'
import type { Registry } from '#server/providers/registry.ts'
import { chat } from '#server/relay/operations/chat.ts'
import { embeddings, rerank } from '#server/relay/operations/simple-operations.ts'
import { credentialFailure } from '#server/relay/routing/auto-disable.ts'
import {
  type ChannelDirectory,
  type RoutedChannel,
  toRoutedChannel,
} from '#server/relay/routing/channel-directory.ts'
import type { ChannelHealth } from '#server/relay/routing/channel-health.ts'
import type { ModelOperation, RelayRequest } from '#server/relay/types.ts'
import {
  type CallDeps,
  callChannel,
  type StreamedUpstreamResponse,
} from '#server/relay/upstream/call-channel.ts'
import { type Credentials, isRejectedCredential } from '#server/relay/upstream/credentials.ts'
import { buildCall, type PreparedCall } from '#server/relay/upstream/prepare-call.ts'
import type { ParsedEvent } from '#server/relay/upstream/read-stream.ts'

/** At least 1, since a stored time of 0 means that a channel was never tested. */
const TIME_MS_MIN = 1
const TEST_TIMEOUT_MS = 60_000
const TEST_OUTPUT_TOKENS_MAX = 16
const FALLBACK_MODEL = 'gpt-4o-mini'
const RERANK_MODEL = /rerank/i

export interface ChannelTestResult {
  readonly ok: boolean
  /** Why the test failed; empty when it passed. */
  readonly message: BothLanguages
  readonly timeMs: number
  /** The failure says that the key is revoked. */
  readonly isKeyRevoked?: boolean
}

interface TestChannelOptions {
  /** When empty, the channel's test model or else its first model is used. */
  readonly model: string
  /** Requests a stream, where the operation can be streamed, and reads it to its end. */
  readonly isStream: boolean
}

export interface TestChannelDeps extends CallDeps {
  readonly channels: { current(): ChannelDirectory }
  readonly credentials: Credentials
  readonly dialects: Dialects
  readonly health: ChannelHealth
  readonly registry: Registry
}

/**
 * Sends a small request through one channel, enabled or not, the way clients' requests go. Nobody is charged. Upstream
 * errors are part of the result, not thrown.
 */
export async function testChannel(
  deps: TestChannelDeps,
  channelId: number,
  options: TestChannelOptions,
): Promise<ChannelTestResult> {
  const channel = deps.channels.current().byId(channelId)
  if (!channel) return { ok: false, message: unusableChannel(channelId), timeMs: 0 }
  return testKeys(deps, channel, options)
}

export const unusableChannel = (id: number): BothLanguages => ({
  zh: `渠道 ${id} 无法使用，请查看日志`,
  en: `channel ${id} cannot be used; see the log`,
})

interface UnsavedChannel {
  readonly channel: Omit<RoutingChannelRow, 'key_sealed'>
  readonly key: string
}

/** As `testChannel`, for a channel that is not stored. */
export function testUnsavedChannel(
  deps: TestChannelDeps,
  { channel, key }: UnsavedChannel,
  options: TestChannelOptions,
): Promise<ChannelTestResult> {
  const provider = deps.registry.byType(channel.type)
  if (!provider) throw new Error(`there is no channel type ${channel.type}`)
  return withTime(async () => {
    const routed = toRoutedChannel(channel, provider, key)
    for (const view of routed.views) deps.credentials.forget({ ...routed, view })
    return testKeys(deps, routed, options)
  })
}

/** Tests key after key until one is not revoked, since one revoked key of several does not fail the channel. */
async function testKeys(
  deps: TestChannelDeps,
  channel: RoutedChannel,
  options: TestChannelOptions,
): Promise<ChannelTestResult> {
  let result = await withTime(() => testKey(deps, channel, options))
  for (const view of channel.views.slice(1)) {
    if (!result.isKeyRevoked) break
    result = await withTime(() => testKey(deps, { ...channel, view }, options))
  }
  return result
}

/** Adds the time that the test took, unless its result has one. */
async function withTime(test: () => Promise<KeyTestResult | ChannelTestResult>): Promise<ChannelTestResult> {
  const startedMs = elapsedMs()
  const result = await test().catch((error: unknown) => ({ ok: false, message: errorTexts(error) }))
  return { timeMs: Math.max(TIME_MS_MIN, Math.round(elapsedMs() - startedMs)), ...result }
}

type KeyTestResult = Omit<ChannelTestResult, 'timeMs'>

async function testKey(
  deps: TestChannelDeps,
  channel: RoutedChannel,
  options: TestChannelOptions,
  isRenewed = false,
): Promise<KeyTestResult> {
  const request = createTestRequest(deps, channel, options)
  const credential = await deps.credentials.get(channel)
  if (credential instanceof GatewayError) return toTestResult(credentialFailure(credential))
  const prepared = buildCall(request, channel, { credential })
  if (!prepared)
    return { ok: false, message: unsupportedOperation(channel.provider.name, request.operation.name) }
  const failure = await findFailure(request, prepared, deps)
  if (failure && !isRenewed && isRejectedCredential(credential, failure)) {
    deps.credentials.forget(channel, credential)
    return testKey(deps, channel, options, true)
  }
  if (failure) return toTestResult(failure)
  deps.health.endCooldown(channel)
  return { ok: true, message: sameInBoth('') }
}

async function findFailure(
  request: RelayRequest,
  prepared: PreparedCall,
  deps: CallDeps,
): Promise<Failure | undefined> {
  const signal = AbortSignal.timeout(TEST_TIMEOUT_MS)
  const result = await callChannel(request, prepared, deps, { signal })
  if (result.kind === 'stream') return readToEnd(result)
  return result.kind === 'failure' ? result.failure : undefined
}

const unsupportedOperation = (provider: string, operation: string): BothLanguages => ({
  zh: `${provider} 不支持 ${operation}`,
  en: `${provider} does not support ${operation}`,
})

function toTestResult(failure: Failure): KeyTestResult {
  const { status, isKeyRevoked } = failure
  const { zh, en } = textsOf(failure)
  const message = { zh: `状态码 ${status}：${zh}`, en: `status ${status}: ${en}` }
  return { ok: false, message, isKeyRevoked: isKeyRevoked === true }
}

/** Returns a failure within a stream that had begun, if there is one. Throws GatewayError when the stream breaks off. */
async function readToEnd({ firstEvents, stream }: StreamedUpstreamResponse): Promise<Failure | undefined> {
  for (let events: readonly ParsedEvent[] | undefined = firstEvents; events; events = await stream.next()) {
    const piece = events.flatMap(event => event.pieces).find(({ type }) => type === 'failure')
    if (piece?.type === 'failure') return piece.failure
  }
  if (!stream.end().isComplete)
    throw new GatewayError('upstream_bad_answer', {
      zh: '上游提前结束了流式响应',
      en: 'the upstream ended its stream early',
    })
  return undefined
}

/** The operation is inferred from the name of the model. */
function chooseTestBody(model: string, { isStream }: TestChannelOptions) {
  if (RERANK_MODEL.test(model))
    return { operation: rerank, body: { query: 'hello', documents: ['hello world', 'goodbye'] } }
  if (isEmbeddingModel(model)) return { operation: embeddings, body: { input: ['hello world'] } }
  const messages = [{ role: 'user', content: 'hi' }]
  return { operation: chat, body: { messages, max_tokens: TEST_OUTPUT_TOKENS_MAX, stream: isStream } }
}

function createTestRequest(
  deps: Pick<TestChannelDeps, 'dialects'>,
  channel: RoutedChannel,
  options: TestChannelOptions,
): RelayRequest {
  const model = chooseTestModel(channel, options.model)
  return toTestRequest(deps, channel, { model, ...chooseTestBody(model, options) })
}

export const chooseTestModel = (channel: RoutedChannel, requested: string): string =>
  requested || channel.testModel || channel.models[0] || FALLBACK_MODEL

interface TestBody {
  readonly model: string
  readonly operation: ModelOperation
  readonly body: JsonObject
}

/** A request of nobody, for one channel. */
export function toTestRequest(
  { dialects }: Pick<TestChannelDeps, 'dialects'>,
  channel: RoutedChannel,
  { model, operation, body }: TestBody,
): RelayRequest {
  const client = dialects.get('openai')
  const dialect = operation.findDialect(client)
  if (!dialect) throw new Error(`the OpenAI API has no ${operation.name}`)
  const clientBody = { model, ...body }
  const parsed = dialect.parse(clientBody)
  const requestId = newRequestId()
  const inputTokens = operation.inputTokens(parsed.body)
  return {
    ...parsed,
    clientBody,
    isLarge: false,
    hasLongNumbers: false,
    requestId,
    caller: {
      userId: 0,
      username: '',
      role: 0,
      group: channel.groups[0] ?? '',
      walletUnits: 0,
      token: undefined,
      pinnedChannelId: channel.id,
    },
    operation,
    client,
    dialect,
    forwardedHeaders: {},
    session: undefined,
    requested: {},
    inputTokens,
    inputAudioTokens: () => 0,
    isOpenEnded: false,
    effort: undefined,
    imageUnits: 0,
    context: {
      requestId,
      model,
      nowSeconds: nowSeconds(),
      wantsUsage: false,
      inputTokens,
      urlParams: {},
      echoedFields: {},
    },
    startedMs: elapsedMs(),
    traceContext: undefined,
    language: 'en',
  }
}
