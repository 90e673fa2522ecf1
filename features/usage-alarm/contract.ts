import { z } from 'zod'
import { endpoint } from '#contract/endpoint.ts'

const count = (description: string, example: number) => z.number().meta({ description, example })

export const UsageSpike = z
  .object({
    user_id: count('User id.', 7),
    username: z.string().meta({ description: 'User name.', example: 'alice' }),
    amount: count('Quota units of the last hour.', 6_200_000),
    usual: count('Quota units of a mean hour of the day before it.', 400_000),
    since: count('Start of the last hour in Unix seconds.', 1_760_000_000),
  })
  .meta({ id: 'UsageSpike', description: 'A user who spends much more than usual.' })
export type UsageSpike = z.infer<typeof UsageSpike>

export const listUsageSpikes = endpoint({
  method: 'GET',
  path: '/api/data/spikes',
  role: 'admin',
  summary: 'List users who spend much more than usual',
  description:
    'Those who spent at least `UsageSpikeThreshold` in the last hour, and five times a mean hour of the day before it; the largest first, at most 20. Found once a minute.',
  reply: z.array(UsageSpike),
})
