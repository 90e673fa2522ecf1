import { GatewayError } from '#server/core/errors.ts'
import type { LocalizedMessage } from '#server/core/language.ts'
import { mapModel } from '#server/core/model-names.ts'
import type { ChannelDirectory } from '#server/relay/routing/channel-directory.ts'
import type { ChannelHealth, SkipReason } from '#server/relay/routing/channel-health.ts'
import {
  firstCallChances,
  isAtLimit,
  listCandidates,
  noChannelLeft,
  type RouteCandidate,
} from '#server/relay/routing/choose-route.ts'
import type { RelayOptions } from '#server/relay/types.ts'

/** The routing of a request that is not sent. */
export interface RoutePreview {
  /** In routing order. */
  readonly candidates: readonly PreviewedCandidate[]
  /** Channels that one request may try: 1 + RetryTimes. */
  readonly attemptsMax: number
  /** Why no channel would be called. */
  readonly error?: { readonly code: string } & LocalizedMessage
}

export interface PreviewedCandidate {
  readonly channelId: number
  readonly channelName: string
  readonly priority: number
  readonly weight: number
  /** The probability, 0 to 1, to be called first. */
  readonly chance: number
  /** The model name that would be sent. */
  readonly upstreamModel: string
  /** Longer requests are not sent to the channel; 0: no limit. */
  readonly maxInputTokens: number
  /** A channel with a circular model mapping is skipped whenever its turn comes. */
  readonly skipReason?: SkipReason | 'circular mapping'
}

interface RoutePreviewDeps {
  readonly channels: { current(): ChannelDirectory }
  readonly health: ChannelHealth
  readonly settings: { current(): Pick<RelayOptions, 'RetryTimes'> }
}

/** `group`: the group whose channels are used. */
export function previewRoute(
  { channels, health, settings }: RoutePreviewDeps,
  { group, model }: { readonly group: string; readonly model: string },
): RoutePreview {
  const attemptsMax = 1 + settings.current().RetryTimes
  const options = { directory: channels.current(), health }
  try {
    const candidates = listCandidates({ group, pinnedChannelId: undefined }, model, options)
    const preview = { attemptsMax, candidates: toPreviewedCandidates(candidates, model) }
    return candidates.every(isAtLimit)
      ? { ...preview, error: toPreviewError(noChannelLeft(candidates)) }
      : preview
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return { attemptsMax, candidates: [], error: toPreviewError(error) }
  }
}

const toPreviewError = ({ code, message, messageZh }: GatewayError) => ({ code, message, messageZh })

function toPreviewedCandidates(candidates: readonly RouteCandidate[], model: string): PreviewedCandidate[] {
  const mappedModel = ({ channel }: RouteCandidate) => mapModel(channel.modelMapping, model)
  const callable = candidates.filter(candidate => mappedModel(candidate) !== undefined)
  const chances = firstCallChances(callable)
  return candidates.map(candidate => {
    const { channel } = candidate
    const upstreamModel = mappedModel(candidate)
    const skipReason = upstreamModel === undefined ? 'circular mapping' : candidate.skipReason
    return {
      channelId: channel.id,
      channelName: channel.name,
      priority: channel.priority,
      weight: channel.weight,
      chance: chances[callable.indexOf(candidate)] ?? 0,
      upstreamModel: upstreamModel ?? model,
      maxInputTokens: channel.limits.inputTokens ?? 0,
      ...(skipReason && { skipReason }),
    }
  })
}
