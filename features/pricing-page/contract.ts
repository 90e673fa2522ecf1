import { z } from 'zod'
import { Modalities, ModelKind } from '#contract/catalogue/model-kinds.ts'
import { endpoint } from '#contract/endpoint.ts'
import { numberField, textField } from '#contract/fields.ts'

const LongPromptPrice = z.object({
  above: numberField('A prompt of more tokens than this has these prices, for the whole request.', 272_000),
  model_ratio: numberField('Price of input tokens; 1 is $2 per million.', 5),
  completion_ratio: numberField('Price of output tokens relative to input tokens.', 4.5),
  cache_ratio: numberField('Price of cached input tokens relative to input tokens.', 0.1),
  create_cache_ratio: numberField('Price of tokens written to the cache relative to input tokens.', 1.25),
})

export const PricingRow = z
  .object({
    model_name: textField('Model name.', 'gpt-4o'),
    model_kind: ModelKind.optional().meta({
      description: 'What the model is called for; absent when the catalogue does not know it.',
      example: 'chat',
    }),
    input_modalities: Modalities.optional().meta({
      description: 'What the model reads; absent when the catalogue does not know it.',
      example: ['text', 'image'],
    }),
    context_window: z.number().optional().meta({
      description: 'Most tokens of a prompt; absent when the catalogue does not know it.',
      example: 128_000,
    }),
    availability: z.number().optional().meta({
      description:
        'Share of the requests of the last day, from 0 to 1, that did not end with a status of 500 or more; absent below 20 requests.',
      example: 0.998,
    }),
    quota_type: numberField('0: priced by token, 1: priced by call.', 0),
    model_ratio: numberField(
      'Price of input tokens; 1 is $2 per million tokens. 0 for models priced by call.',
      1.25,
    ),
    model_price: numberField('Dollars per call; 0 for models priced by token.', 0),
    owner_by: textField('Always empty.', ''),
    completion_ratio: numberField('Price of output tokens relative to input tokens.', 4),
    cache_ratio: z
      .number()
      .optional()
      .meta({ description: 'Price of cached input tokens relative to input tokens.', example: 0.5 }),
    create_cache_ratio: z
      .number()
      .optional()
      .meta({ description: 'Price of tokens written to the cache relative to input tokens.', example: 1.25 }),
    create_cache_ratio_1h: z
      .number()
      .optional()
      .meta({ description: 'Price of tokens written to the cache for an hour, if different.', example: 2 }),
    image_ratio: z
      .number()
      .optional()
      .meta({ description: 'Price of picture input relative to input tokens.', example: 2 }),
    image_output_ratio: z
      .number()
      .optional()
      .meta({ description: 'Price of picture output relative to input tokens, if different.', example: 60 }),
    long_prompts: z
      .array(LongPromptPrice)
      .optional()
      .meta({ description: 'Prices of long prompts, by rising length.', example: [] }),
    audio_ratio: z
      .number()
      .optional()
      .meta({ description: 'Price of audio input relative to input tokens.', example: 16 }),
    audio_completion_ratio: z
      .number()
      .optional()
      .meta({ description: 'Price of audio output relative to audio input.', example: 2 }),
    enable_groups: z.array(z.string()).meta({
      description: 'Groups that you may choose and for which a channel serves the model.',
      example: ['default'],
    }),
  })
  .meta({ id: 'PricingRow', description: 'The price of one model, before the ratio of the group.' })
export type PricingRow = z.infer<typeof PricingRow>

export const listPricing = endpoint({
  method: 'GET',
  path: '/api/pricing',
  role: 'visitor',
  summary: 'List prices',
  description: 'Covers the models that can be called now, and the groups that you may choose.',
  reply: z.array(PricingRow),
  meta: z.object({
    group_ratio: z
      .record(z.string(), z.number())
      .meta({ description: 'Price ratio by group.', example: { default: 1, vip: 0.8 } }),
    usable_group: z
      .record(z.string(), z.string())
      .meta({ description: 'Description by group.', example: { default: 'Default group' } }),
  }),
})

export const DefaultRatios = z
  .object({
    model_name: textField('Model name.', 'gpt-4o'),
    completion_ratio: numberField('Price of output tokens relative to input tokens.', 4),
    cache_ratio: numberField('Price of cached input tokens relative to input tokens.', 0.5),
    create_cache_ratio: numberField('Price of tokens written to the cache relative to input tokens.', 1.25),
  })
  .meta({ id: 'DefaultRatios', description: 'The ratios of a model that apply where the options have none.' })
export type DefaultRatios = z.infer<typeof DefaultRatios>

export const listDefaultRatios = endpoint({
  method: 'GET',
  path: '/api/pricing/defaults',
  role: 'root',
  summary: 'List default ratios',
  description:
    'Covers the models with a model ratio in the options. Each ratio applies where the options have none.',
  reply: z.array(DefaultRatios),
})
