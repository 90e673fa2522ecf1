import type { RoutePreview as Shown } from '#contract/channels/route-preview.ts'
import type { RoutePreview } from '../context.ts'

export const toRoutePreview = ({ candidates, channelsTried, refusal }: RoutePreview): Shown => ({
  channels_tried: channelsTried,
  refusal: refusal ?? null,
  candidates: candidates.map(candidate => ({
    channel_id: candidate.channelId,
    channel_name: candidate.channelName,
    priority: candidate.priority,
    weight: candidate.weight,
    chance: candidate.chance,
    upstream_model: candidate.upstreamModel,
    obstacle: candidate.obstacle ?? null,
  })),
})
