import { z } from 'zod'
import { COST, endpoint } from '#contract/endpoint.ts'
import { numberField, textField } from '#contract/fields.ts'
import { AllFilters, OwnFilters } from './log-filters.ts'
import { FacetValue, NamedFacetValue } from './logs.ts'

export const ErrorSummary = z
  .object({
    error: textField(
      'The value to filter by; empty for requests that failed before errors were recorded.',
      '429 rate_limit_exceeded',
    ),
    status: numberField('HTTP status; 0: unknown.', 429),
    code: textField('Error code.', 'rate_limit_exceeded'),
    count: numberField('Failed requests.', 120),
    last_at: numberField('Time of the last one in Unix seconds.', 1_760_000_000),
    users: numberField('Users concerned; 0 for ordinary users.', 9),
    channels: z.array(NamedFacetValue).meta({
      description:
        'The channels that were tried last, most frequent first, at most 5; empty for ordinary users.',
    }),
    models: z.array(FacetValue).meta({ description: 'Requested models, most frequent first, at most 5.' }),
  })
  .meta({ id: 'ErrorSummary', description: 'The failed requests with one status and code.' })
export type ErrorSummary = z.infer<typeof ErrorSummary>

export const listLogErrors = endpoint({
  method: 'GET',
  path: '/api/log/errors',
  role: 'admin',
  cost: COST.statistics,
  summary: 'List errors over all users',
  description: 'Most frequent first, at most 50.',
  query: AllFilters,
  reply: z.array(ErrorSummary),
})

export const listSelfLogErrors = endpoint({
  method: 'GET',
  path: '/api/log/self/errors',
  role: 'user',
  organization: 'member',
  cost: COST.statistics,
  summary: 'List your errors',
  description: 'Most frequent first, at most 50. Channels are omitted.',
  query: OwnFilters,
  reply: z.array(ErrorSummary),
})
