import { LOG_TYPE } from '#contract/enums.ts'
import type { TokenUsage } from '#server/core/usage.ts'
import { asObject, isObject } from '#server/provider-kit/json.ts'
import type { ImportedLog, Reading } from '../../import-source.ts'
import type { SourceRow } from '../../queries/source-database.ts'
import { dateSeconds, dollarUnits, integer, jsonObject, text, units } from '../../read-values.ts'
import { type Directory, ownerOf } from './directory.ts'
import { DEFAULT_GROUP, TEAM_PREFIX } from './groups.ts'

const MS_PER_SECOND = 1000

export function readSpend(row: SourceRow, directory: Directory): Reading<ImportedLog> {
  const notes: string[] = []
  const { error_information: error, user_api_key_alias: alias } = jsonObject(text(row, 'metadata'))
  const startedAt = dateSeconds(row, 'startTime') ?? 0
  const isFailure = text(row, 'status') === 'failure'
  const record: ImportedLog = {
    number: text(row, 'request_id'),
    owner: ownerOf(row, directory),
    channel: text(row, 'model_id'),
    token: text(row, 'api_key'),
    created_at: startedAt,
    type: isFailure ? LOG_TYPE.failure : LOG_TYPE.consumption,
    username: text(row, 'user'),
    token_name: typeof alias === 'string' ? alias : '',
    model_name: text(row, 'model_group') || text(row, 'model'),
    group: groupOf(row, directory),
    quota: dollarUnits(row, 'spend', notes),
    prompt_tokens: units(row, 'prompt_tokens', notes),
    completion_tokens: units(row, 'completion_tokens', notes),
    use_time: readSeconds(row, startedAt),
    is_stream: 0,
    content: '',
    error: isObject(error) ? `${error.error_code ?? ''} ${error.error_class ?? ''}`.trim() : '',
  }
  return { record, notes }
}

/** `prompt_tokens` holds what was read from a cache and written to it. */
export function readSpendUsage(row: SourceRow): Partial<TokenUsage> {
  const { usage_object: found } = jsonObject(text(row, 'metadata'))
  const usage = asObject(found)
  const count = (value: unknown): number => (typeof value === 'number' && value > 0 ? value : 0)
  const cachedInput = count(
    usage.cache_read_input_tokens ?? asObject(usage.prompt_tokens_details).cached_tokens,
  )
  const cacheWrite = count(usage.cache_creation_input_tokens)
  return {
    input: Math.max(0, integer(row, 'prompt_tokens') - cachedInput - cacheWrite),
    cachedInput,
    cacheWrite,
    output: integer(row, 'completion_tokens'),
  }
}

const groupOf = (row: SourceRow, { groups }: Directory): string =>
  groups.get(TEAM_PREFIX + text(row, 'team_id')) ?? DEFAULT_GROUP

function readSeconds(row: SourceRow, startedAt: number): number {
  const ms = integer(row, 'request_duration_ms')
  if (ms > 0) return Math.round(ms / MS_PER_SECOND)
  return Math.max(0, (dateSeconds(row, 'endTime') ?? startedAt) - startedAt)
}
