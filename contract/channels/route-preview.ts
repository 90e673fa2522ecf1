import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { QueryText } from '../fields.ts'

const PreviewedCandidate = z.object({
  channel_id: z.number(),
  channel_name: z.string(),
  priority: z.number(),
  weight: z.number(),
  /** 0 to 1: the chance to be asked first. */
  chance: z.number(),
  upstream_model: z.string(),
  /** What speaks against it at the moment; null: nothing. */
  obstacle: z.string().nullable(),
})

/** What would happen to a request, without sending it. */
export const RoutePreview = z.object({
  candidates: z.array(PreviewedCandidate),
  /** Channels that may be tried for one request. */
  channels_tried: z.number(),
  /** Why nothing would be asked; null: it would. */
  refusal: z.object({ code: z.string(), message: z.string() }).nullable(),
})
export type RoutePreview = z.infer<typeof RoutePreview>

export const previewRoute = endpoint({
  method: 'GET',
  path: '/api/channel/route',
  role: 'admin',
  summary: 'Which channels a request would be sent to, in which order, without sending it',
  query: z.object({ group: QueryText, model: QueryText }),
  reply: RoutePreview,
})
