import { elapsedMs, nowSeconds } from '../kernel/clock.ts'
import { GatewayError, messageOf } from '../kernel/errors.ts'
import { newRequestId } from '../kernel/id.ts'
import { adapt } from './adapt.ts'
import type { Gateway } from './gateway.ts'
import { chat } from './operations/chat.ts'
import { embeddings } from './operations/embeddings.ts'
import type { Order } from './order.ts'
import type { RoutedChannel } from './routed-channel.ts'
import { tryChannel } from './try-channel.ts'

/** A stored time of 0 means that a channel was never tested. */
const LEAST_TIME_MS = 1
const TEST_TIMEOUT_MS = 60_000
const TEST_OUTPUT_TOKENS_MAX = 16
const FALLBACK_MODEL = 'gpt-4o-mini'
const EMBEDDING_MODEL = /embedding|bge-|^m3e/i

export interface ChannelTestResult {
  readonly ok: boolean
  /** Why it failed; empty when it did not. */
  readonly message: string
  readonly timeMs: number
  /** The failure means that the key is dead. */
  readonly isKeyDead?: boolean
}

/**
 * Sends a small request through one channel, whatever its status, the way callers' requests go. Nobody is charged.
 * `model` empty: the channel's test model, else its first. Never throws for the upstream's sake.
 */
export async function testChannel(
  gateway: Gateway,
  channelId: number,
  model: string,
): Promise<ChannelTestResult> {
  const channel = gateway.channels.current().byId(channelId)
  if (!channel) return { ok: false, message: `channel ${channelId} cannot be used: see the log`, timeMs: 0 }
  const startedMs = elapsedMs()
  const result = await ask(
    gateway,
    channel,
    model || channel.testModel || channel.models[0] || FALLBACK_MODEL,
  )
  return { ...result, timeMs: Math.max(LEAST_TIME_MS, Math.round(elapsedMs() - startedMs)) }
}

async function ask(
  gateway: Gateway,
  channel: RoutedChannel,
  model: string,
): Promise<Omit<ChannelTestResult, 'timeMs'>> {
  try {
    const order = testOrder(gateway, channel, model)
    const credential = await gateway.credentials.of(channel)
    if (credential instanceof GatewayError) throw credential
    const adapted = adapt(order, channel, credential)
    if (!adapted) return { ok: false, message: `${channel.provider.name} cannot do ${order.operation.name}` }
    const tried = await tryChannel(order, adapted, gateway, AbortSignal.timeout(TEST_TIMEOUT_MS))
    if (tried.kind !== 'failure') return { ok: true, message: '' }
    const { status, message, isKeyDead } = tried.failure
    return { ok: false, message: `status ${status}: ${message}`, isKeyDead: isKeyDead === true }
  } catch (error) {
    return { ok: false, message: messageOf(error) }
  }
}

function testOrder(gateway: Gateway, channel: RoutedChannel, model: string): Order {
  const operation = EMBEDDING_MODEL.test(model) ? embeddings : chat
  const client = gateway.dialects.get('openai')
  const dialect = operation.dialectOf(client)
  if (!dialect) throw new Error(`${operation.name} cannot be asked for`)
  const question =
    operation === chat
      ? { messages: [{ role: 'user', content: 'hi' }], max_tokens: TEST_OUTPUT_TOKENS_MAX }
      : { input: ['hello world'] }
  const parsed = dialect.parse({ model, ...question })
  const requestId = newRequestId()
  return {
    ...parsed,
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
    inputTokens: operation.inputTokens(parsed.body),
    context: { requestId, model, nowSeconds: nowSeconds(), wantsUsage: false },
    startedMs: elapsedMs(),
  }
}
