import { z } from 'zod'
import { endpoint } from '#contract/endpoint.ts'
import { numberField, textField } from '#contract/fields.ts'

const attempts = numberField('Calls of the channel, also those after which another channel responded.', 976)
const failed = numberField('Calls that failed through no fault of the request.', 6)

export const ChannelHealth = z
  .object({
    id: numberField('Channel id.', 12),
    state: z.enum(['idle', 'healthy', 'degraded', 'failing']).meta({
      description:
        'By the calls of the last 30 minutes. `failing`: at least half failed, two or more, or the key was rejected after the last success; `degraded`: at least 5%.',
      example: 'healthy',
    }),
    attempts,
    failed,
    hours: z
      .array(z.object({ start: numberField('Unix seconds.', 1_760_000_400), attempts, failed }))
      .meta({ description: 'The last 24 hours, oldest first.' }),
    last_error: textField('Status and code of the last failure; empty without one.', '401 invalid_api_key'),
    last_error_at: numberField('Unix seconds; 0 without one.', 1_760_000_000),
  })
  .meta({ id: 'ChannelHealth', description: 'How calls of a channel ended in the last 24 hours.' })
export type ChannelHealth = z.infer<typeof ChannelHealth>

export const listChannelHealth = endpoint({
  method: 'GET',
  path: '/api/channel/health',
  role: 'admin',
  summary: 'Get the health of channels',
  description: 'Covers the last 24 hours. Channels that were not called are omitted.',
  reply: z.array(ChannelHealth),
})
