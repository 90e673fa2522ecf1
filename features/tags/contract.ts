import { z } from 'zod'
import { COST, endpoint } from '#contract/endpoint.ts'
import { flagField, numberField, QueryNumber, QueryText, textField } from '#contract/fields.ts'

/** A report covers at most 92 days. */
export const TAG_REPORT_SECONDS_MAX = 92 * 86_400
export const TAG_VALUES_MAX = 200

export const TagReport = z
  .object({
    keys: z
      .array(z.string())
      .meta({ description: 'The keys that are in use (`RequestTagKeys`).', example: ['project', 'env'] }),
    key: textField('The key of the values; empty when none is in use.', 'project'),
    start_timestamp: numberField('Start of the period in Unix seconds.', 1_760_000_000),
    end_timestamp: numberField('First second after it.', 1_760_086_400),
    values: z
      .array(
        z.object({
          value: textField('A value of the key.', 'website'),
          requests: numberField('Requests with this value, each once.', 1_250),
          errors: numberField('Those that failed.', 12),
          quota: numberField('Quota units charged.', 6_200_000),
          prompt_tokens: numberField('Input tokens.', 810_000),
          completion_tokens: numberField('Output tokens.', 96_000),
        }),
      )
      .meta({ description: 'The dearest first.' }),
    has_more: flagField('Whether there are more values.', false),
  })
  .meta({ id: 'TagReport', description: 'Requests by the values of a tag.' })
export type TagReport = z.infer<typeof TagReport>

const Query = z.object({
  key: QueryText.meta({ description: 'A key. Empty: the first one.', example: 'project' }),
  start_timestamp: QueryNumber.meta({
    description: 'Start in Unix seconds. 0: 24 hours before the end.',
    example: 1_760_000_000,
  }),
  end_timestamp: QueryNumber.meta({
    description: 'End in Unix seconds, exclusive. 0: now.',
    example: 1_760_086_400,
  }),
})
export type TagQuery = z.infer<typeof Query>

export const getTags = endpoint({
  method: 'GET',
  path: '/api/tag/',
  role: 'admin',
  cost: COST.search,
  summary: 'Requests of all users by tag',
  description: 'Of at most 92 days. Only requests with log rows count.',
  query: Query,
  reply: TagReport,
})

export const getSelfTags = endpoint({
  method: 'GET',
  path: '/api/tag/self',
  role: 'user',
  cost: COST.search,
  summary: 'Your requests by tag',
  description: 'Of at most 92 days. Only requests with log rows count.',
  query: Query,
  reply: TagReport,
})
