import { z } from 'zod'
import { ModelKind } from './model-kinds.ts'

/** A price beyond this is a mistake: the dearest models cost a thousandth of it. */
const DOLLARS_MAX = 1_000_000
const dollars = z.number().nonnegative().max(DOLLARS_MAX)
const price = (description: string, example: number) => dollars.optional().meta({ description, example })
/** A charge of a thousand dollars for one use is a mistake. */
const TOOL_DOLLARS_MAX = 1_000
const toolPrice = z.number().min(0).max(TOOL_DOLLARS_MAX)
const tokenPrices = {
  input: price('Dollars per million input tokens.', 2.5),
  output: price('Dollars per million output tokens.', 15),
  cached_input: price('Dollars per million input tokens read from a cache.', 0.25),
  cache_write: price('Dollars per million tokens written to a cache for minutes.', 3.125),
  cache_write_1h: price('Dollars per million tokens written to a cache for an hour.', 5),
  reasoning: price('Dollars per million tokens of thoughts; absent: as output.', 15),
  audio_input: price('Dollars per million tokens of sound in.', 32),
  cached_audio_input: price('Dollars per million tokens of sound read from a cache.', 0.4),
  audio_output: price('Dollars per million tokens of sound out.', 64),
  image_input: price('Dollars per million tokens of pictures in.', 8),
  cached_image_input: price('Dollars per million tokens of pictures read from a cache.', 2),
  image_output: price('Dollars per million tokens of pictures out.', 30),
  video_input: price('Dollars per million tokens of video in.', 12),
}
const TokenPrices = z.object(tokenPrices)
export const TOKEN_PRICE_NAMES: ReadonlySet<string> = new Set(Object.keys(tokenPrices))
export type TokenPrices = z.infer<typeof TokenPrices>

const ContextTier = TokenPrices.extend({
  above: z.number().int().positive().meta({
    description: 'Prompts of more tokens than this pay these prices for the whole request.',
    example: 200_000,
  }),
}).meta({ description: 'Prices of long prompts; a price that is absent rises like that of input or output.' })
export type ContextTier = z.infer<typeof ContextTier>

const rates = {
  ...tokenPrices,
  tiers: z
    .array(ContextTier)
    .optional()
    .meta({
      description: 'Prices of long prompts, by rising length.',
      example: [{ above: 200_000, input: 5 }],
    }),
}
const Rates = z.object(rates)

export const SERVICE_TIERS = ['batch', 'flex', 'priority', 'fast', 'ultrafast'] as const

const ImagePrice = z.object({
  size: z.string().optional().meta({ description: 'Width x height.', example: '1024x1024' }),
  quality: z.string().optional().meta({ description: 'Quality.', example: 'high' }),
  price: dollars.meta({ description: 'Dollars per picture.', example: 0.167 }),
})

export const PriceList = Rates.extend({
  service_tiers: z
    .partialRecord(z.enum(SERVICE_TIERS), Rates)
    .optional()
    .meta({ description: 'Token prices by service tier.', example: { batch: { input: 1.25, output: 7.5 } } }),
  regions: z
    .record(z.string(), z.number().positive().max(DOLLARS_MAX))
    .optional()
    .meta({ description: 'Factor on all token prices by region.', example: { us: 1.1 } }),
  image: price('Dollars per picture out.', 0.04),
  images: z
    .array(ImagePrice)
    .optional()
    .meta({ description: 'Dollars per picture out by size and quality.', example: [{ price: 0.04 }] }),
  second_input: price('Dollars per second of sound or video in.', 0.0001),
  second_output: price('Dollars per second of sound or video out.', 0.1),
  seconds_output: z
    .record(z.string(), dollars)
    .optional()
    .meta({ description: 'Dollars per second of video out by resolution.', example: { '1080p': 0.4 } }),
  characters: price('Dollars per million characters in.', 15),
  page: price('Dollars per page read.', 0.004),
  search: z
    .object({
      low: toolPrice,
      medium: toolPrice,
      high: toolPrice,
      per_prompt: z
        .boolean()
        .optional()
        .meta({ description: 'A request pays once, however often it searched.', example: true }),
    })
    .optional()
    .meta({
      description: 'Dollars per web search by size of its context.',
      example: { low: 0.01, medium: 0.01, high: 0.01 },
    }),
  tool_calls: z
    .record(z.string(), toolPrice)
    .optional()
    .meta({ description: 'Dollars per call of a tool that the provider runs.', example: { maps: 0.014 } }),
  request: price('Dollars per request.', 0.002),
}).meta({ description: "The provider's list prices in dollars." })
export type PriceList = z.infer<typeof PriceList>

/** A price list of the administrator's own, in place of the catalogue's. */
export const OwnPrices = z.object({ kind: ModelKind, prices: PriceList }).strict()
export type OwnPrices = z.infer<typeof OwnPrices>
