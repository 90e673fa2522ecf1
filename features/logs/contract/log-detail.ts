import { z } from 'zod'

const BillLine = z.object({
  bucket: z.string(),
  tokens: z.number(),
  ratio: z.number(),
  /** Exact decimal text, in quota units before rounding. */
  amount: z.string(),
  /** The prompt has more tokens than this, which the provider charges at a higher price. */
  above: z.number().optional(),
  /** The service tier and the region whose prices apply. */
  tier: z.string().optional(),
  region: z.string().optional(),
  /** Units of one item, where it has a price of its own instead of a ratio. */
  each: z.string().optional(),
  /** Which tool or model. */
  name: z.string().optional(),
})

const LoggedAttempt = z.object({
  /** Only for administrators, as is the name. */
  channel_id: z.number().optional(),
  channel_name: z.string().optional(),
  status: z.number(),
  ms: z.number(),
  code: z.string().optional(),
})

/** A channel that could have served the request. */
const LoggedCandidate = z.object({
  channel_id: z.number().optional(),
  channel_name: z.string().optional(),
  priority: z.number(),
  weight: z.number(),
  /** Why it was skipped or tried last: an open circuit, keys in cooldown, a limit; or why it was not tried any more. */
  obstacle: z.string().optional(),
})

/** A model that a budget replaced, or whose effort it lowered. */
const ReplacedModel = z.object({
  /** The name of the budget. */
  budget: z.string(),
  /** The share of the budget, in percent, from which on it replaces the model. */
  percent: z.number(),
  from: z.string(),
  /** The same model where only the effort was lowered. */
  to: z.string(),
  /** What the effort was lowered to, and from which one that the client stated. */
  effort: z.object({ from: z.string().optional(), to: z.string() }).optional(),
  /** Quota units that the replaced model would have cost. Left out for failed requests, as is the next. */
  amount: z.number().optional(),
  /** Quota units that it would have cost more than the model in its place. */
  saved: z.number().optional(),
})

/** The JSON in `other`: prices, tokens by kind, the bill line by line, and the attempts in order. */
export const LogDetail = z.object({
  group: z.string().optional(),
  model_ratio: z.number().optional(),
  completion_ratio: z.number().optional(),
  group_ratio: z.number().optional(),
  /** Dollars per call; -1 when the price is per token. */
  model_price: z.number().optional(),
  cache_ratio: z.number().optional(),
  cache_tokens: z.number().optional(),
  cache_creation_ratio: z.number().optional(),
  cache_creation_tokens: z.number().optional(),
  /** The part of `cache_creation_tokens` that is cached for an hour. */
  cache_creation_tokens_1h: z.number().optional(),
  cache_creation_ratio_1h: z.number().optional(),
  /** Milliseconds to the first token; -1000 when the response was not streamed. */
  frt: z.number().optional(),
  use_ms: z.number().optional(),
  /** As requested by the client. */
  reasoning_effort: z.string().optional(),
  /** Tools of the request that the provider lacks and that were left out. */
  dropped_tools: z.array(z.string()).optional(),
  /** Fields of the request that the provider takes otherwise or not at all, such as `max_tokens: 128000 → 16384`. */
  adjusted: z.array(z.string()).optional(),
  /** Models that budgets replaced, in this order. */
  bends: z.array(ReplacedModel).optional(),
  is_model_mapped: z.boolean().optional(),
  upstream_model_name: z.string().optional(),
  /** Only for administrators: channel ids in the order in which they were tried. */
  admin_info: z.object({ use_channel: z.array(z.string()) }).optional(),
  /** A realtime conversation, whose tokens are reported like those of audio. */
  ws: z.boolean().optional(),
  audio: z.boolean().optional(),
  audio_input: z.number().optional(),
  audio_output: z.number().optional(),
  text_input: z.number().optional(),
  text_output: z.number().optional(),
  audio_ratio: z.number().optional(),
  audio_completion_ratio: z.number().optional(),
  image_ratio: z.number().optional(),
  /** Tokens of input images. */
  image_input: z.number().optional(),
  /** Tokens of generated images. */
  image_output: z.number().optional(),
  image_output_ratio: z.number().optional(),
  /** Generated images, weighted by size and quality. */
  images: z.number().optional(),
  reasoning_tokens: z.number().optional(),
  is_estimated: z.boolean().optional(),
  provenance: z.string().optional(),
  /** The subscription that the amount was taken from, and its plan. */
  paid_by: z.object({ plan: z.string(), subscription_id: z.number() }).optional(),
  /** `exact`: sum of the lines as decimal text, before rounding. `hold`: quota units reserved. */
  bill: z.object({ lines: z.array(BillLine), exact: z.string(), hold: z.number() }).optional(),
  /** Only for administrators: what the provider charges in billionths of a dollar, where the purchase price is known. */
  cost_nanos: z.number().optional(),
  /** Status and code of a failed request. */
  error: z.object({ status: z.number(), code: z.string() }).optional(),
  /** Rejected requests of one minute that the row stands for; one where it is left out. */
  count: z.number().optional(),
  /** How the response ended. */
  ending: z.string().optional(),
  attempts: z.array(LoggedAttempt).optional(),
  /** Only for administrators, in the order in which they were tried, when there was a choice. */
  candidates: z.array(LoggedCandidate).optional(),
})
export type LogDetail = z.infer<typeof LogDetail>
