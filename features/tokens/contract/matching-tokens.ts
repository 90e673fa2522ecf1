import { z } from 'zod'
import { RECORDS } from '#contract/audited-records.ts'
import { COST, ConfirmedCount, endpoint, MatchingResult, MORE_MATCH } from '#contract/endpoint.ts'
import { QueryText } from '#contract/fields.ts'

/** The conditions of the search. Strict, because a misspelled condition must not select more. */
const MatchingTokens = z.strictObject({
  filter: z
    .strictObject({
      keyword: QueryText.meta({ description: 'Part of the name. Empty: any.', example: 'prod' }),
      token: QueryText.meta({
        format: 'password',
        description: 'Part of the key, as in the search. Empty: any.',
        example: '',
      }),
      status: z.number().int().min(0).max(4).default(0).meta({
        description: '1: enabled, 2: disabled, 3: expired, 4: exhausted. 0: any.',
        example: 3,
      }),
      group: QueryText.meta({ description: 'Exact group. Empty: any.', example: '' }),
    })
    .meta({ description: 'Conditions that the tokens match, as in the search.' }),
  count: ConfirmedCount,
})

export const updateMatchingTokens = endpoint({
  method: 'PUT',
  path: '/api/token/matching',
  role: 'user',
  organization: 'member',
  conflict: MORE_MATCH,
  changes: RECORDS.token,
  cost: COST.statistics,
  summary: 'Enable or disable all of your tokens that match a filter',
  description: 'Expired and exhausted tokens are not enabled.',
  body: MatchingTokens.extend({
    status: z.union([z.literal(1), z.literal(2)]).meta({ description: '1: enable, 2: disable.', example: 2 }),
  }),
  reply: MatchingResult,
})

export const deleteMatchingTokens = endpoint({
  method: 'POST',
  path: '/api/token/matching',
  role: 'user',
  organization: 'member',
  conflict: MORE_MATCH,
  changes: RECORDS.token,
  cost: COST.statistics,
  summary: 'Delete all of your tokens that match a filter',
  description: 'Cannot be undone.',
  body: MatchingTokens,
  reply: MatchingResult,
})
