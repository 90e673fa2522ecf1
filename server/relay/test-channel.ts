import { elapsedMs, nowSeconds } from '../core/clock.ts'
import { GatewayError, errorMessage } from '../core/errors.ts'
import { newRequestId } from '../core/ids.ts'
import type { RoutingChannelRow } from '../db/channels/channels.ts'
import type { Failure } from '../provider-kit/contract/operation-adapter.ts'
import { chat } from './operations/chat.ts'
import { embeddings } from './operations/embeddings.ts'
import { rerank } from './operations/rerank.ts'
import type { RelayContext } from './relay-context.ts'
import type { RelayRequest } from './types.ts'
import { type RoutedChannel, toRoutedChannel } from './routing/channel-directory.ts'
import { type StreamAnswer, tryChannel } from './upstream/call-channel.ts'
import { adapt } from './upstream/prepare-call.ts'
import type { ReadEvent } from './upstream/read-stream.ts'
import { credentialFailure } from './upstream/try-channels.ts'

/** A stored time of 0 means that a channel was never tested. */
const LEAST_TIME_MS = 1
const TEST_TIMEOUT_MS = 60_000
const TEST_OUTPUT_TOKENS_MAX = 16
const FALLBACK_MODEL = 'gpt-4o-mini'
const RERANK_MODEL = /rerank/i
const EMBEDDING_MODEL = /embedding|bge-|^m3e/i

export interface ChannelTestResult {
  readonly ok: boolean
  /** Why it failed; empty when it did not. */
  readonly message: string
  readonly timeMs: number
  /** The failure means that the key is dead. */
  readonly isKeyDead?: boolean
}

interface WantedTest {
  /** Empty: the channel's test model, else its first. */
  readonly model: string
  /** Asks for a stream, of what can be streamed, and reads it to its end. */
  readonly isStream: boolean
}

/**
 * Sends a small request through one channel, whatever its status, the way callers' requests go. Nobody is charged.
 * Never throws for the upstream's sake.
 */
export async function testChannel(
  gateway: RelayContext,
  channelId: number,
  wanted: WantedTest,
): Promise<ChannelTestResult> {
  const channel = gateway.channels.current().byId(channelId)
  if (!channel) return { ok: false, message: `channel ${channelId} cannot be used: see the log`, timeMs: 0 }
  return askByKey(gateway, channel, wanted)
}

interface Unsaved {
  readonly channel: Omit<RoutingChannelRow, 'key_sealed'>
  readonly key: string
}

/** As `testChannel`, for a channel that is not stored. */
export function testUnsavedChannel(
  gateway: RelayContext,
  { channel, key }: Unsaved,
  wanted: WantedTest,
): Promise<ChannelTestResult> {
  const provider = gateway.registry.byType(channel.type)
  if (!provider) throw new Error(`there is no channel type ${channel.type}`)
  return timed(async () => {
    const routed = toRoutedChannel(channel, provider, key)
    for (const view of routed.views) gateway.credentials.forget({ ...routed, view })
    return askByKey(gateway, routed, wanted)
  })
}

/** One refused key of several says nothing of the channel: the next is asked. Gives what the last that was asked came to. */
async function askByKey(
  gateway: RelayContext,
  channel: RoutedChannel,
  wanted: WantedTest,
): Promise<ChannelTestResult> {
  let result = await timed(() => ask(gateway, channel, wanted))
  for (const view of channel.views.slice(1)) {
    if (!result.isKeyDead) break
    result = await timed(() => ask(gateway, { ...channel, view }, wanted))
  }
  return result
}

/** What was timed already keeps its time. */
async function timed(test: () => Promise<Tested | ChannelTestResult>): Promise<ChannelTestResult> {
  const startedMs = elapsedMs()
  const tested = await test().catch((error: unknown) => ({ ok: false, message: errorMessage(error) }))
  return { timeMs: Math.max(LEAST_TIME_MS, Math.round(elapsedMs() - startedMs)), ...tested }
}

type Tested = Omit<ChannelTestResult, 'timeMs'>

async function ask(gateway: RelayContext, channel: RoutedChannel, wanted: WantedTest): Promise<Tested> {
  const order = testOrder(gateway, channel, wanted)
  const credential = await gateway.credentials.of(channel)
  if (credential instanceof GatewayError) return testedBy(credentialFailure(credential))
  const adapted = adapt(order, channel, credential)
  if (!adapted) return { ok: false, message: `${channel.provider.name} cannot do ${order.operation.name}` }
  const tried = await tryChannel(order, adapted, gateway, {
    waiter: { signal: AbortSignal.timeout(TEST_TIMEOUT_MS) },
  })
  const failure = tried.kind === 'stream' ? await readToEnd(tried) : tried.kind === 'failure' && tried.failure
  if (failure) return testedBy(failure)
  gateway.health.endCooldown(channel)
  return { ok: true, message: '' }
}

const testedBy = ({ status, message, isKeyRevoked }: Failure): Tested => ({
  ok: false,
  message: `status ${status}: ${message}`,
  isKeyDead: isKeyRevoked === true,
})

/** What went wrong in a stream that had begun well, if anything did. */
async function readToEnd({ begun, upstream }: StreamAnswer): Promise<Failure | undefined> {
  for (let events: readonly ReadEvent[] | undefined = begun; events; events = await upstream.next()) {
    const piece = events.flatMap(event => event.pieces).find(({ type }) => type === 'failure')
    if (piece?.type === 'failure') return piece.failure
  }
  if (!upstream.end().isComplete)
    throw new GatewayError('upstream_bad_answer', 'the upstream broke off its stream')
  return undefined
}

/** The name of a model tells what it is for. */
function questionFor(model: string, { isStream }: WantedTest) {
  if (RERANK_MODEL.test(model))
    return { operation: rerank, question: { query: 'hello', documents: ['hello world', 'goodbye'] } }
  if (EMBEDDING_MODEL.test(model)) return { operation: embeddings, question: { input: ['hello world'] } }
  const messages = [{ role: 'user', content: 'hi' }]
  return { operation: chat, question: { messages, max_tokens: TEST_OUTPUT_TOKENS_MAX, stream: isStream } }
}

function testOrder(gateway: RelayContext, channel: RoutedChannel, wanted: WantedTest): RelayRequest {
  const model = wanted.model || channel.testModel || channel.models[0] || FALLBACK_MODEL
  const { operation, question } = questionFor(model, wanted)
  const client = gateway.dialects.get('openai')
  const dialect = operation.findDialect(client)
  if (!dialect) throw new Error(`${operation.name} cannot be asked for`)
  const sent = { model, ...question }
  const parsed = dialect.parse(sent)
  const requestId = newRequestId()
  const inputTokens = operation.inputTokens(parsed.body)
  return {
    ...parsed,
    clientBody,
    requestId,
    caller: {
      userId: 0,
      username: '',
      role: 0,
      group: channel.groups[0] ?? '',
      token: undefined,
      pinnedChannelId: channel.id,
    },
    operation,
    client,
    dialect,
    forwardedHeaders: {},
    inputTokens,
    inputAudioTokens: () => 0,
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
  }
}
