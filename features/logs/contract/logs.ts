import { z } from 'zod'
import { COST, endpoint, IdParams, PagesFromOne, pageOf, SearchPages } from '#contract/endpoint.ts'
import { flagField, LocalDays, numberField, QueryNumber, QueryText, textField } from '#contract/fields.ts'
import { AllFilters, OwnFilters } from './log-filters.ts'

export const LogEntry = z
  .object({
    id: numberField('Log row id.', 4711),
    request_id: textField('Request id, as returned to the client.', '20261009084640123456789'),
    user_id: numberField('User id.', 7),
    created_at: numberField('Unix seconds.', 1_760_000_000),
    type: numberField(
      '1: top-up, 2: consumption, 3: management, 4: system, 5: failed request, 7: rejected request.',
      2,
    ),
    content: textField('Text of the event, or the error message.', ''),
    username: textField('User name at the time.', 'alice'),
    user_role: numberField('Role of the user; 0 for ordinary users and after a deregistration.', 1),
    token_id: numberField('Token id; 0: no token.', 3),
    token_name: textField('Token name at the time.', 'production'),
    model_name: textField('Requested model; empty for other events.', 'gpt-4o'),
    quota: numberField('Quota units charged or credited.', 1_250),
    prompt_tokens: numberField('Input tokens.', 420),
    completion_tokens: numberField('Output tokens.', 180),
    use_time: numberField('Duration in whole seconds.', 3),
    is_stream: flagField('Whether the response was streamed.', true),
    channel: numberField('Channel id; 0 for ordinary users.', 12),
    channel_name: textField('Channel name; empty for ordinary users.', 'OpenAI main'),
    group: textField('Group whose prices applied.', 'default'),
    tags: z
      .record(z.string(), z.string())
      .optional()
      .meta({
        description: 'What the request is for, as its client says; left out where it says nothing.',
        example: { project: 'website' },
      }),
    other: textField(
      'JSON text with prices, tokens by kind, the bill and the attempts; empty for other events.',
      '{"model_ratio":1.25,"group_ratio":1}',
    ),
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
    quota: numberField('Quota units charged.', 310_000),
    rpm: numberField('Requests in the last 60 seconds.', 12),
    tpm: numberField('Tokens in the last 60 seconds.', 8_400),
    count: numberField('Successful requests.', 970),
    errors: numberField('Failed requests.', 6),
    tokens: numberField('Input and output tokens.', 582_000),
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
    bucket_seconds: numberField('Length of a bucket: an hour, a day or a week.', 3600),
    points: z
      .array(
        z.object({
          start: numberField('Start of the bucket in Unix seconds.', 1_760_000_400),
          name: textField(
            '`success` or `error`, or a model name; the smaller models are summed under an empty name.',
            'success',
          ),
          count: numberField('Requests.', 41),
          quota: numberField('Quota units charged.', 12_900),
          tokens: numberField('Input and output tokens.', 24_800),
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

const value = textField('The value to filter by.', 'gpt-4o')
const count = numberField('Number of requests.', 41)
export const FacetValue = z.object({ value, count })
export const NamedFacetValue = z.object({
  id: numberField('Id of the object.', 12),
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
