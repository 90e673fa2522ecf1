import { z } from 'zod'
import { RECORDS } from '#contract/audited-records.ts'
import { COST, ConfirmedCount, endpoint, MatchingResult, MORE_MATCH } from '#contract/endpoint.ts'
import { localizedError, QueryText } from '#contract/fields.ts'
import { BatchChange } from './channel-endpoints.ts'

const role = 'admin'
const changing = { role, changes: RECORDS.channel } as const

/** The conditions of the search. Strict, because a misspelled condition must not select more. */
const MatchingChannels = z.strictObject({
  filter: z
    .strictObject({
      keyword: QueryText.meta({
        description: 'Channel id, part of the name, or the complete key. Empty: any.',
        example: 'main',
      }),
      group: QueryText.meta({ description: 'Exact group. Empty: any.', example: 'default' }),
      model: QueryText.meta({ description: 'Part of a model name. Empty: any.', example: 'gpt-4o' }),
      status: z.number().int().min(0).max(3).default(0).meta({
        description: '1: enabled, 2: disabled, 3: disabled automatically. 0: any.',
        example: 3,
      }),
      type: z
        .number()
        .int()
        .min(0)
        .default(0)
        .meta({ description: 'Type number of the provider. 0: any.', example: 0 }),
    })
    .meta({ description: 'Conditions that the channels match, as in the search.' }),
  count: ConfirmedCount,
})
export type MatchingChannels = z.infer<typeof MatchingChannels>

export const updateMatchingChannels = endpoint({
  method: 'PUT',
  path: '/api/channel/matching',
  ...changing,
  conflict: MORE_MATCH,
  cost: COST.statistics,
  summary: 'Update all channels that match a filter',
  description: 'Applies the same fields to each channel.',
  body: MatchingChannels.extend(BatchChange.shape).refine(
    ({ filter: _, count: __, ...change }) => Object.keys(change).length > 0,
    localizedError('没有任何修改！', 'there is nothing to change'),
  ),
  reply: MatchingResult,
})

export const deleteMatchingChannels = endpoint({
  method: 'POST',
  path: '/api/channel/matching',
  ...changing,
  conflict: MORE_MATCH,
  cost: COST.statistics,
  summary: 'Delete all channels that match a filter',
  body: MatchingChannels,
  reply: MatchingResult,
})
