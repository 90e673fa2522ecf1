import type { LogDetail, LogEntry } from '#contract/logs/logs.ts'
import type { LogRow } from '../../db/log-reads.ts'
import { type Receipt, readReceipt } from './receipt.ts'

const NOTHING_STREAMED = -1000

/** Whose eyes: administrators see channels and attempts, users do not. */
export type Viewer = 'admin' | 'self'

export const toLogEntry = (row: LogRow, viewer: Viewer): LogEntry => ({
  id: row.id,
  request_id: row.request_id,
  user_id: row.user_id,
  created_at: row.created_at,
  type: row.type,
  content: row.content,
  username: row.username,
  token_id: row.token_id,
  token_name: row.token_name,
  model_name: row.model_name,
  quota: row.quota,
  prompt_tokens: row.prompt_tokens,
  completion_tokens: row.completion_tokens,
  use_time: row.use_time,
  is_stream: row.is_stream === 1,
  channel: viewer === 'admin' ? row.channel_id : 0,
  channel_name: viewer === 'admin' ? (row.channel_name ?? '') : '',
  group: row.group,
  other: row.receipt === null ? '' : JSON.stringify(toDetail(row.group, readReceipt(row.receipt), viewer)),
})

function toDetail(group: string, receipt: Receipt, viewer: Viewer): LogDetail {
  const { price, frt_ms, use_ms, provenance, ending, reasoning_effort } = receipt
  const { create_cache_ratio: _, ...figures } = price ?? {}
  return {
    group,
    ...figures,
    ...pricedTokens(receipt),
    frt: frt_ms ?? NOTHING_STREAMED,
    use_ms,
    provenance,
    ending,
    is_estimated: provenance === 'estimated',
    ...(reasoning_effort && { reasoning_effort }),
    ...mappedModel(receipt),
    ...attemptsFor(receipt, viewer),
    ...(receipt.lines && {
      bill: { lines: receipt.lines, exact: receipt.exact ?? '', hold: receipt.hold ?? 0 },
    }),
    ...(receipt.code !== undefined && { error: { status: receipt.status ?? 0, code: receipt.code } }),
  }
}

function pricedTokens({ usage = {}, price = {}, ws: isConversation }: Receipt): LogDetail {
  const { audioInput = 0, audioOutput = 0, input = 0, output = 0, cacheWrite = 0 } = usage
  const { cacheWriteHour = 0, imageInput = 0, images = 0 } = usage
  const written = cacheWrite + cacheWriteHour
  return {
    cache_tokens: usage.cachedInput ?? 0,
    ...(usage.reasoning !== undefined && { reasoning_tokens: usage.reasoning }),
    ...(written > 0 && {
      cache_creation_tokens: written,
      cache_creation_ratio: price.create_cache_ratio,
    }),
    ...(cacheWriteHour > 0 && {
      cache_creation_tokens_1h: cacheWriteHour,
      cache_creation_ratio_1h: price.create_cache_ratio_1h,
    }),
    ...((isConversation || audioInput + audioOutput > 0) && {
      ...(isConversation ? { ws: true } : { audio: true }),
      audio_input: audioInput,
      audio_output: audioOutput,
      text_input: input,
      text_output: output,
    }),
    ...(imageInput > 0 && { image_input: imageInput }),
    ...(images > 0 && { images }),
  }
}

function mappedModel({ model }: Receipt): LogDetail {
  const { requested, upstream } = model ?? {}
  return upstream === undefined || upstream === requested
    ? {}
    : { is_model_mapped: true, upstream_model_name: upstream }
}

function attemptsFor({ attempts, candidates }: Receipt, viewer: Viewer): LogDetail {
  if (!attempts) return {}
  if (viewer === 'self') return { attempts: attempts.map(({ status, ms, code }) => ({ status, ms, code })) }
  return {
    attempts,
    ...(candidates && { candidates }),
    admin_info: { use_channel: attempts.map(attempt => String(attempt.channel_id)) },
  }
}
