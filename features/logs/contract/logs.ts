import { z } from 'zod'
import { COST, endpoint, IdParams, PagesFromOne, pageOf, SearchPages } from '#contract/endpoint.ts'
import { LocalDays, QueryNumber, QueryText } from '#contract/fields.ts'
import { AllFilters, OwnFilters } from './log-filters.ts'

export const LogEntry = z
  .object({
    id: z.number().meta({ description: 'Log row id.', example: 4711 }),
    request_id: z.string().meta({
      description: 'Request id, as returned to the client.',
      example: '20261009084640123456789',
    }),
    user_id: z.number().meta({ description: 'User id.', example: 7 }),
    created_at: z.number().meta({ description: 'Unix seconds.', example: 1_760_000_000 }),
    type: z.number().meta({
      description:
        '1: top-up, 2: consumption, 3: management, 4: system, 5: failed request, 7: rejected request.',
      example: 2,
    }),
    content: z.string().meta({ description: 'Text of the event, or the error message.', example: '' }),
    username: z.string().meta({ description: 'User name at the time.', example: 'alice' }),
    user_role: z.number().meta({
      description: 'Role of the user; 0 for ordinary users and after a deregistration.',
      example: 1,
    }),
    token_id: z.number().meta({ description: 'Token id; 0: no token.', example: 3 }),
    token_name: z.string().meta({ description: 'Token name at the time.', example: 'production' }),
    model_name: z
      .string()
      .meta({ description: 'Requested model; empty for other events.', example: 'gpt-4o' }),
    quota: z.number().meta({ description: 'Quota units charged or credited.', example: 1_250 }),
    prompt_tokens: z.number().meta({ description: 'Input tokens.', example: 420 }),
    completion_tokens: z.number().meta({ description: 'Output tokens.', example: 180 }),
    use_time: z.number().meta({ description: 'Duration in whole seconds.', example: 3 }),
    is_stream: z.boolean().meta({ description: 'Whether the response was streamed.', example: true }),
    channel: z.number().meta({ description: 'Channel id; 0 for ordinary users.', example: 12 }),
    channel_name: z.string().meta({
      description: 'Channel name; empty for ordinary users.',
      example: 'OpenAI main',
    }),
    group: z.string().meta({ description: 'Group whose prices applied.', example: 'default' }),
    tags: z
      .record(z.string(), z.string())
      .optional()
      .meta({
        description: 'What the request is for, as its client says; left out where it says nothing.',
        example: { project: 'website' },
      }),
    other: z.string().meta({
      description:
        'JSON text with prices, tokens by kind, the bill and the attempts; empty for other events.',
      example: '{"model_ratio":1.25,"group_ratio":1}',
    }),
  })
  .meta({ id: 'LogEntry', description: 'One log row: a request or another event.' })
export type LogEntry = z.infer<typeof LogEntry>

const LogPage = pageOf(LogEntry)

export const listLogs = endpoint({
  method: 'GET',
  path: '/api/log/',
  role: 'admin',
  cost: COST.search,
  summary: 'List log rows of all users',
  description: 'Newest first.',
  query: PagesFromOne.extend(AllFilters.shape),
  reply: LogPage,
})

export const listSelfLogs = endpoint({
  method: 'GET',
  path: '/api/log/self',
  role: 'user',
  organization: 'member',
  cost: COST.search,
  summary: 'List your log rows',
  description: 'Newest first. Channels and upstream details are omitted.',
  query: PagesFromOne.extend(OwnFilters.shape),
  reply: LogPage,
})

export const getLog = endpoint({
  method: 'GET',
  path: '/api/log/:id',
  role: 'admin',
  summary: 'Get a log row',
  params: IdParams,
  reply: LogEntry,
})

export const getSelfLog = endpoint({
  method: 'GET',
  path: '/api/log/self/:id',
  role: 'user',
  organization: 'member',
  summary: 'Get one of your log rows',
  params: IdParams,
  reply: LogEntry,
})

const SearchQuery = z.object({
  keyword: QueryText.meta({
    description: 'A type (one digit), or the beginning of the text.',
    example: '2',
  }),
})
const SEARCH_DESCRIPTION =
  'Returns the newest 100 rows of a type, or those among the newest 20,000 whose text begins with the keyword. The list endpoint offers better filters.'

export const searchLogs = endpoint({
  method: 'GET',
  path: '/api/log/search',
  role: 'admin',
  cost: COST.search,
  summary: 'Search log rows of all users',
  description: SEARCH_DESCRIPTION,
  query: SearchQuery,
  reply: z.array(LogEntry),
})

export const searchSelfLogs = endpoint({
  method: 'GET',
  path: '/api/log/self/search',
  role: 'user',
  cost: COST.search,
  summary: 'Search your log rows',
  description: SEARCH_DESCRIPTION,
  query: SearchQuery,
  reply: z.array(LogEntry),
})

export const listTokenLogs = endpoint({
  method: 'GET',
  path: '/api/log/token',
  role: 'visitor',
  cost: COST.search,
  summary: 'List the log rows of a token by its key',
  description:
    'Newest first. The key authorizes the call, so no sign-in is needed and pages of any origin may call it.',
  query: z.object({
    ...SearchPages.shape,
    p: PagesFromOne.shape.p,
    key: QueryText.meta({ description: 'The token key, with or without `sk-`.', example: 'sk-…' }),
  }),
  reply: z.array(LogEntry),
  produces: 'application/json',
})

export const LogStat = z
  .object({
    quota: z.number().meta({ description: 'Quota units charged.', example: 310_000 }),
    rpm: z.number().meta({ description: 'Requests in the last 60 seconds.', example: 12 }),
    tpm: z.number().meta({ description: 'Tokens in the last 60 seconds.', example: 8_400 }),
    count: z.number().meta({ description: 'Successful requests.', example: 970 }),
    errors: z.number().meta({ description: 'Failed requests.', example: 6 }),
    tokens: z.number().meta({ description: 'Input and output tokens.', example: 582_000 }),
  })
  .meta({ id: 'LogStat', description: 'Totals of the matching requests, and the current rate.' })
export type LogStat = z.infer<typeof LogStat>

export const getLogStat = endpoint({
  method: 'GET',
  path: '/api/log/stat',
  role: 'admin',
  cost: COST.statistics,
  summary: 'Get totals over all users',
  description: 'The filters on the type are ignored.',
  query: AllFilters,
  reply: LogStat,
})

export const getSelfLogStat = endpoint({
  method: 'GET',
  path: '/api/log/self/stat',
  role: 'user',
  organization: 'member',
  cost: COST.statistics,
  summary: 'Get your totals',
  description: 'The filters on the type are ignored.',
  query: OwnFilters,
  reply: LogStat,
})

const HistogramQuery = {
  split: z.enum(['outcome', 'model']).catch('outcome').meta({
    description: 'Split each bucket into successes and errors, or into models.',
    example: 'outcome',
  }),
  utc_offset_minutes: QueryNumber.meta({
    description: 'Your offset from UTC in minutes, so that days begin at your midnight.',
    example: 480,
  }),
  time_zone: LocalDays.time_zone,
}

export const Histogram = z
  .object({
    bucket_seconds: z
      .number()
      .meta({ description: 'Length of a bucket: an hour, a day or a week.', example: 3600 }),
    points: z
      .array(
        z.object({
          start: z
            .number()
            .meta({ description: 'Start of the bucket in Unix seconds.', example: 1_760_000_400 }),
          name: z.string().meta({
            description:
              '`success` or `error`, or a model name; the smaller models are summed under an empty name.',
            example: 'success',
          }),
          count: z.number().meta({ description: 'Requests.', example: 41 }),
          quota: z.number().meta({ description: 'Quota units charged.', example: 12_900 }),
          tokens: z.number().meta({ description: 'Input and output tokens.', example: 24_800 }),
        }),
      )
      .meta({ description: 'One point per bucket and name; empty buckets are omitted.' }),
  })
  .meta({ id: 'Histogram', description: 'Requests over time.' })
export type Histogram = z.infer<typeof Histogram>

export const getLogHistogram = endpoint({
  method: 'GET',
  path: '/api/log/histogram',
  role: 'admin',
  cost: COST.statistics,
  summary: 'Get requests of all users over time',
  query: AllFilters.extend(HistogramQuery),
  reply: Histogram,
})

export const getSelfLogHistogram = endpoint({
  method: 'GET',
  path: '/api/log/self/histogram',
  role: 'user',
  organization: 'member',
  cost: COST.statistics,
  summary: 'Get your requests over time',
  query: OwnFilters.extend(HistogramQuery),
  reply: Histogram,
})

const value = z.string().meta({ description: 'The value to filter by.', example: 'gpt-4o' })
const count = z.number().meta({ description: 'Number of requests.', example: 41 })
export const FacetValue = z.object({ value, count })
export const NamedFacetValue = z.object({
  id: z.number().meta({ description: 'Id of the object.', example: 12 }),
  value,
  count,
})

export const Facets = z
  .object({
    models: z.array(FacetValue).meta({ description: 'Model names.' }),
    groups: z.array(FacetValue).meta({ description: 'Groups.' }),
    types: z.array(FacetValue).meta({ description: 'Log types, as numbers in text.' }),
    errors: z.array(FacetValue).meta({
      description: 'Errors of failed requests: status and code.',
    }),
    tokens: z.array(NamedFacetValue).meta({ description: 'Tokens.' }),
    channels: z.array(NamedFacetValue).meta({ description: 'Channels; empty for ordinary users.' }),
    users: z.array(NamedFacetValue).meta({ description: 'Users; empty for ordinary users.' }),
  })
  .meta({
    id: 'Facets',
    description: 'For each filter the values in the time range, most frequent first, at most 50.',
  })
export type Facets = z.infer<typeof Facets>

export const getLogFacets = endpoint({
  method: 'GET',
  path: '/api/log/facets',
  role: 'admin',
  cost: COST.statistics,
  summary: 'List filter values over all users with their counts',
  query: AllFilters,
  reply: Facets,
})

export const getSelfLogFacets = endpoint({
  method: 'GET',
  path: '/api/log/self/facets',
  role: 'user',
  organization: 'member',
  cost: COST.statistics,
  summary: 'List filter values of your log rows with their counts',
  query: OwnFilters,
  reply: Facets,
})
