import { GatewayError } from '../../core/errors.ts'
import type { RelaySettings } from '../relay-context.ts'
import type { ChannelDirectory } from './channel-directory.ts'
import type { ChannelHealth, Obstacle } from './channel-health.ts'
import { mapModel } from './model-mapping.ts'
import { type Candidate, candidatesFor, chancesOf, everyoneAtLimit, isAtLimit } from './route.ts'

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
  /** A channel whose model mapping runs in a circle is passed over whenever its turn comes. */
  readonly obstacle?: Obstacle | 'circular mapping'
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
    const candidates = candidatesFor({ group, pinnedChannelId: undefined }, model, parts)
    const shown = { channelsTried, candidates: previewed(candidates, model) }
    return candidates.every(isAtLimit) ? { ...shown, refusal: refusalOf(everyoneAtLimit()) } : shown
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return { channelsTried, candidates: [], refusal: refusalOf(error) }
  }
}

const refusalOf = ({ code, message }: GatewayError) => ({ code, message })

function previewed(candidates: readonly Candidate[], model: string): PreviewedCandidate[] {
  const named = ({ channel }: Candidate) => mapModel(channel.modelMapping, model)
  const askable = candidates.filter(candidate => named(candidate) !== undefined)
  const chances = chancesOf(askable)
  return candidates.map(candidate => {
    const { channel } = candidate
    const upstreamModel = named(candidate)
    const obstacle = upstreamModel === undefined ? 'circular mapping' : candidate.obstacle
    return {
      channelId: channel.id,
      channelName: channel.name,
      priority: channel.priority,
      weight: channel.weight,
      chance: chances[askable.indexOf(candidate)] ?? 0,
      upstreamModel: upstreamModel ?? model,
      ...(obstacle && { obstacle }),
    }
  })
}
