import { GatewayError } from '../../kernel/errors.ts'
import type { ChannelDirectory } from '../channel-directory.ts'
import type { RelaySettings } from '../gateway.ts'
import { mapModel } from '../model-mapping.ts'
import type { ChannelHealth, Obstacle } from './channel-health.ts'
import { type Candidate, chancesOf, route } from './route.ts'

/** What would happen to a request, without sending it. */
export interface RoutePreview {
  /** In an order of trial: by priority, then by the chance to be the first. */
  readonly candidates: readonly PreviewedCandidate[]
  /** Channels that may be tried for one request, by RetryTimes. */
  readonly channelsTried: number
  /** Why nothing would be asked. */
  readonly refusal?: { readonly code: string; readonly message: string }
}

export interface PreviewedCandidate {
  readonly channelId: number
  readonly channelName: string
  readonly priority: number
  readonly weight: number
  /** 0 to 1: the chance to be asked first. */
  readonly chance: number
  /** The name that the vendor would be asked for. */
  readonly upstreamModel: string
  readonly obstacle?: Obstacle
}

interface PreviewParts {
  readonly channels: { current(): ChannelDirectory }
  readonly health: ChannelHealth
  readonly settings: { current(): Pick<RelaySettings, 'retryTimes'> }
}

/** `group`: the one whose channels are used. */
export function previewRoute(
  gateway: PreviewParts,
  { group, model }: { readonly group: string; readonly model: string },
): RoutePreview {
  const channelsTried = 1 + gateway.settings.current().retryTimes
  const parts = { directory: gateway.channels.current(), health: gateway.health }
  try {
    const { candidates } = route({ group, pinnedChannelId: undefined }, model, parts)
    return { channelsTried, candidates: previewed(candidates, model) }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return { channelsTried, candidates: [], refusal: { code: error.code, message: error.message } }
  }
}

function previewed(candidates: readonly Candidate[], model: string): PreviewedCandidate[] {
  const chances = chancesOf(candidates)
  return candidates.map(({ channel, obstacle }, index) => ({
    channelId: channel.id,
    channelName: channel.name,
    priority: channel.priority,
    weight: channel.weight,
    chance: chances[index] ?? 0,
    upstreamModel: mapModel(channel.modelMapping, model) ?? model,
    ...(obstacle && { obstacle }),
  }))
}
