import { z } from 'zod'
import { type Language, readStoredText } from '#server/core/language.ts'
import type { LogDetail } from '../contract/log-detail.ts'
import type { LogEntry } from '../contract/logs.ts'
import type { LogRow } from './queries/log-reads.ts'

const NOTHING_STREAMED = -1000

/** The reader of a log row, and their language. */
export interface LogAudience {
  /** Administrators see channels and failed attempts in full; users see neither channel ids nor names. */
  readonly viewer: Viewer
  readonly language: Language
}

export type Viewer = 'admin' | 'self'

export const toLogView = (row: LogRow, { viewer, language }: LogAudience): LogEntry => ({
  id: row.id,
  request_id: row.request_id,
  user_id: row.user_id,
  created_at: row.created_at,
  type: row.type,
  content: readStoredText(row.content, language),
  username: row.username,
  user_role: viewer === 'admin' ? (row.user_role ?? 0) : 0,
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
  ...(row.tags !== null && { tags: readTags(row.tags) }),
  other:
    row.receipt === null
      ? ''
      : JSON.stringify(toDetail(row.group, parseReceipt(row.receipt), { viewer, language })),
})

/** A value may contain the sign. */
const readTags = (tags: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    tags.split('\n').map(tag => [tag.slice(0, tag.indexOf('=')), tag.slice(tag.indexOf('=') + 1)]),
  )

export const tagsText = ({ tags = {} }: LogEntry): string =>
  Object.entries(tags)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ')

function toDetail(group: string, receipt: ReceiptView, { viewer, language }: LogAudience): LogDetail {
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
    ...(receipt.adjusted && { adjusted: receipt.adjusted }),
    ...replacedModels(receipt, language),
    ...(receipt.dropped_tools && { dropped_tools: receipt.dropped_tools }),
    ...mappedModel(receipt),
    ...attemptsFor(receipt, viewer),
    ...toBillDetail(receipt),
    ...(viewer === 'admin' && receipt.cost_nanos !== undefined && { cost_nanos: receipt.cost_nanos }),
    ...(receipt.code !== undefined && { error: { status: receipt.status ?? 0, code: receipt.code } }),
    ...(receipt.count !== undefined && { count: receipt.count }),
  }
}

const toBillDetail = ({ lines, exact = '', hold = 0, paid_by }: ReceiptView): LogDetail => ({
  ...(paid_by && { paid_by }),
  ...(lines && { bill: { lines, exact, hold } }),
})

function pricedTokens({ usage = {}, price = {}, ws: isConversation }: ReceiptView): LogDetail {
  const { audioInput = 0, audioOutput = 0, input = 0, output = 0, cacheWrite = 0 } = usage
  const { cachedInput = 0, cachedAudio = 0, cachedImage = 0, imageOutput = 0 } = usage
  const { cacheWriteHour = 0, imageInput = 0, images = 0 } = usage
  const written = cacheWrite + cacheWriteHour
  return {
    cache_tokens: cachedInput + cachedAudio + cachedImage,
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
    ...(imageOutput > 0 && { image_output: imageOutput }),
    ...(images > 0 && { images }),
  }
}

const replacedModels = ({ bends }: ReceiptView, language: Language): LogDetail =>
  bends ? { bends: bends.map(bend => ({ ...bend, budget: readStoredText(bend.budget, language) })) } : {}

function mappedModel({ model }: ReceiptView): LogDetail {
  const { requested, upstream } = model ?? {}
  return upstream === undefined || upstream === requested
    ? {}
    : { is_model_mapped: true, upstream_model_name: upstream }
}

function attemptsFor({ attempts, candidates }: ReceiptView, viewer: Viewer): LogDetail {
  if (!attempts) return {}
  if (viewer === 'self') return { attempts: attempts.map(({ status, ms, code }) => ({ status, ms, code })) }
  return {
    attempts,
    ...(candidates && { candidates }),
    admin_info: { use_channel: attempts.map(attempt => String(attempt.channel_id)) },
  }
}

const optionalField = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined)

const count = optionalField(z.number())

const Price = z.object({
  model_ratio: count,
  completion_ratio: count,
  cache_ratio: count,
  create_cache_ratio: count,
  create_cache_ratio_1h: count,
  group_ratio: count,
  model_price: count,
  audio_ratio: count,
  audio_completion_ratio: count,
  image_ratio: count,
  image_output_ratio: count,
})

const StoredUsage = z.object({
  input: count,
  cachedInput: count,
  cacheWrite: count,
  cacheWriteHour: count,
  audioInput: count,
  imageInput: count,
  cachedAudio: count,
  cachedImage: count,
  output: count,
  reasoning: count,
  audioOutput: count,
  imageOutput: count,
  images: count,
})

/**
 * The part of a stored receipt that is shown. Receipts of every version must stay readable, so a field that does not
 * parse is omitted and the rest is shown.
 */
const ReceiptView = z.object({
  ending: optionalField(z.string()),
  provenance: optionalField(z.string()),
  status: count,
  code: optionalField(z.string()),
  /** Rejected requests that the row stands for. */
  count,
  use_ms: count,
  frt_ms: optionalField(z.number()),
  ws: optionalField(z.boolean()),
  reasoning_effort: optionalField(z.string()),
  model: optionalField(
    z.object({ requested: optionalField(z.string()), upstream: optionalField(z.string()) }),
  ),
  dropped_tools: optionalField(z.array(z.string())),
  adjusted: optionalField(z.array(z.string())),
  bends: optionalField(
    z.array(
      z.object({
        ...{ budget: z.string(), percent: z.number(), from: z.string(), to: z.string() },
        ...{ amount: count, saved: count },
        effort: optionalField(z.object({ from: optionalField(z.string()), to: z.string() })),
      }),
    ),
  ),
  price: optionalField(Price),
  usage: optionalField(StoredUsage),
  lines: optionalField(
    z.array(
      z.object({
        bucket: z.string(),
        tokens: z.number(),
        ratio: z.number(),
        amount: z.coerce.string(),
        above: z.number().optional(),
        tier: optionalField(z.string()),
        region: optionalField(z.string()),
        each: optionalField(z.string()),
        name: optionalField(z.string()),
      }),
    ),
  ),
  exact: optionalField(z.coerce.string()),
  hold: count,
  paid_by: optionalField(z.object({ plan: z.string(), subscription_id: z.number() })),
  cost_nanos: count,
  attempts: optionalField(
    z.array(
      z.object({
        channel_id: z.number(),
        channel_name: z.string().catch(''),
        status: z.number(),
        ms: z.number(),
        code: optionalField(z.string()),
      }),
    ),
  ),
  candidates: optionalField(
    z.array(
      z.object({
        channel_id: z.number(),
        channel_name: z.string().catch(''),
        priority: z.number(),
        weight: z.number(),
        obstacle: optionalField(z.string()),
      }),
    ),
  ),
})

type ReceiptView = z.infer<typeof ReceiptView>

/** Parses the stored JSON text of a receipt. */
function parseReceipt(text: string): ReceiptView {
  const read = ReceiptView.safeParse(JSON.parse(text))
  return read.success ? read.data : {}
}
