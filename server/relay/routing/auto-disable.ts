import { nowSeconds } from '../../core/clock.ts'
import type { GatewayError } from '../../core/errors.ts'
import { type BothLanguages, textsOf, toStoredText } from '../../core/language.ts'
import { MIB } from '../../core/limits.ts'
import type { Logger } from '../../core/logger.ts'
import { disableChannelAutomatically } from '../../db/channels/channels.ts'
import type { Database } from '../../db/engine/database.ts'
import type { Failure } from '../../provider-kit/failures.ts'
import type { RelayOptions } from '../types.ts'
import type { RoutedChannel } from './channel-directory.ts'
import type { CallOutcome, ChannelHealth } from './channel-health.ts'

/**
 * Consequences of a failed attempt for its channel: a rejected or rate limited key starts a cooldown, and a channel without
 * a valid key is disabled.
 */

/** A channel as one request uses it. */
export interface ChannelUse {
  readonly channel: RoutedChannel
  readonly requestId: string
  /** The client's own body. */
  readonly clientBody: unknown
}

export interface AutoDisableDeps {
  readonly db: Database
  readonly log: Logger
  readonly channels: { refresh(): Promise<unknown> }
  readonly health: ChannelHealth
  readonly settings: { current(): AutoDisableSettings }
  readonly credentials: { forget(channel: RoutedChannel): void }
  /** Notifies the super administrator in the background. */
  readonly notifyChannelDisabled: (channel: { id: number; name: string }, reason: BothLanguages) => void
}

type AutoDisableSettings = Pick<RelayOptions, 'AutomaticDisableChannelEnabled' | 'AutomaticDisableKeywords'>

const STATUS_UNAUTHENTICATED = 401
const STATUS_TOO_MANY_REQUESTS = 429
const CHANNEL_FAULT_STATUS_MIN = 500

/**
 * Applies the consequences of a failed attempt: forgets a rejected credential, starts the cooldown of the key, and
 * disables the channel when it has no valid key left.
 */
export async function reportFailure(use: ChannelUse, failure: Failure, deps: AutoDisableDeps): Promise<void> {
  const { channel } = use
  if (failure.status === STATUS_UNAUTHENTICATED) deps.credentials.forget(channel)
  const isRevoked = isKeyRevoked(use, failure, deps.settings.current())
  deps.health.coolDown(channel, { ...failure, isKeyRevoked: isRevoked })
  if (deps.health.hasOtherValidKey(channel)) return
  await disableIfKeyRevoked(use, failure, deps)
}

/** Disables the channel when the failure says that its key is revoked and the options allow it. */
export async function disableIfKeyRevoked(
  use: ChannelUse,
  failure: Failure,
  deps: AutoDisableDeps,
): Promise<void> {
  const { channel, requestId } = use
  const settings = deps.settings.current()
  if (!canBeDisabled(channel, settings) || !isKeyRevoked(use, failure, settings)) return
  const reason = disableReason(failure)
  const wasEnabled = await disableChannelAutomatically(deps.db, channel.id, {
    reason: toStoredText(reason),
    atSeconds: nowSeconds(),
  })
  if (!wasEnabled) return
  await deps.channels.refresh()
  deps.notifyChannelDisabled(channel, reason)
  deps.log.warn('a channel was disabled automatically', {
    request_id: requestId,
    channel_id: channel.id,
    reason: reason.en,
  })
}

function disableReason(failure: Failure): BothLanguages {
  const { status, code } = failure
  const { zh, en } = textsOf(failure)
  return { zh: `状态码 ${status}，${code}：${zh}`, en: `status ${status}, ${code}: ${en}` }
}

/** Keywords count only where the options would also disable the channel for them. */
const isKeyRevoked = (
  { channel, clientBody }: ChannelUse,
  failure: Failure,
  settings: AutoDisableSettings,
): boolean =>
  failure.isKeyRevoked === true ||
  (canBeDisabled(channel, settings) && containsKeyword(failure, clientBody, settings))

const canBeDisabled = (
  { canBeDisabledAutomatically }: RoutedChannel,
  { AutomaticDisableChannelEnabled }: AutoDisableSettings,
): boolean => AutomaticDisableChannelEnabled && canBeDisabledAutomatically

/** Ignores keywords that the client sent itself, since providers quote input in their error messages. */
function containsKeyword(
  { message }: Failure,
  clientBody: unknown,
  { AutomaticDisableKeywords }: AutoDisableSettings,
): boolean {
  const text = message.toLowerCase()
  const keywords = AutomaticDisableKeywords.map(keyword => keyword.toLowerCase()).filter(keyword =>
    text.includes(keyword),
  )
  if (keywords.length === 0) return false
  const unsent = new Set(keywords)
  let searched = 0
  for (const text of textsOfBody(clientBody)) {
    searched += text.length
    if (searched > SEARCHED_CHARS_MAX) return false
    const input = text.toLowerCase()
    for (const keyword of unsent) if (input.includes(keyword)) unsent.delete(keyword)
    if (unsent.size === 0) return false
  }
  return true
}

/** A larger body may hold every keyword: it is not searched, so that a failed request costs neither time nor memory. */
const SEARCHED_CHARS_MAX = 8 * MIB

/** The keys and values of a body, one by one. */
function* textsOfBody(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  if (typeof value === 'number' || typeof value === 'boolean') yield String(value)
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return
  for (const [key, inner] of Object.entries(value)) {
    yield key
    yield* textsOfBody(inner)
  }
}

/**
 * The meaning of a failure for the health of the channel. Rejected or rate limited keys and bad requests do not count
 * against it.
 */
export const outcomeOfFailure = ({ status }: Failure): CallOutcome => {
  if (status >= CHANNEL_FAULT_STATUS_MIN) return 'failure'
  return status === STATUS_TOO_MANY_REQUESTS ? 'unknown' : 'success'
}

/**
 * The key could not be exchanged for a credential. It counts as revoked only when the provider rejected the key itself.
 */
export const credentialFailure = ({ status, code, message, messageZh }: GatewayError): Failure => ({
  status,
  code,
  message,
  messageZh,
  isKeyRevoked: status === STATUS_UNAUTHENTICATED,
})
