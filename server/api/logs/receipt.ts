import { z } from 'zod'

const maybe = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined)
const count = maybe(z.number())

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
})

const StoredUsage = z.object({
  input: count,
  cachedInput: count,
  cacheWrite: count,
  cacheWriteHour: count,
  audioInput: count,
  imageInput: count,
  output: count,
  reasoning: count,
  audioOutput: count,
  images: count,
})

/**
 * What of a stored receipt is shown. Receipts of every age must stay readable, so a part that does not fit is left
 * out and the rest is shown.
 */
const Receipt = z.object({
  ending: maybe(z.string()),
  provenance: maybe(z.string()),
  status: count,
  code: maybe(z.string()),
  use_ms: count,
  frt_ms: maybe(z.number()),
  ws: maybe(z.boolean()),
  reasoning_effort: maybe(z.string()),
  model: maybe(z.object({ requested: maybe(z.string()), upstream: maybe(z.string()) })),
  price: maybe(Price),
  usage: maybe(StoredUsage),
  lines: maybe(
    z.array(
      z.object({ bucket: z.string(), tokens: z.number(), ratio: z.number(), amount: z.coerce.string() }),
    ),
  ),
  exact: maybe(z.coerce.string()),
  hold: count,
  attempts: maybe(
    z.array(
      z.object({
        channel_id: z.number(),
        channel_name: z.string().catch(''),
        status: z.number(),
        ms: z.number(),
        code: maybe(z.string()),
      }),
    ),
  ),
  candidates: maybe(
    z.array(
      z.object({
        channel_id: z.number(),
        channel_name: z.string().catch(''),
        priority: z.number(),
        weight: z.number(),
        obstacle: maybe(z.string()),
      }),
    ),
  ),
})
export type Receipt = z.infer<typeof Receipt>

/** Reads the JSON text of a receipt. */
export function readReceipt(text: string): Receipt {
  const read = Receipt.safeParse(JSON.parse(text))
  return read.success ? read.data : {}
}
