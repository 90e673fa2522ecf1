import { z } from 'zod'
import { endpoint } from '#contract/endpoint.ts'
import { QueryText } from '#contract/fields.ts'

const PreviewedCandidate = z.object({
  channel_id: z.number().meta({ description: 'Channel id.', example: 12 }),
  channel_name: z.string().meta({ description: 'Channel name.', example: 'OpenAI main' }),
  priority: z.number().meta({ description: 'Priority of the channel.', example: 0 }),
  weight: z.number().meta({ description: 'Weight of the channel.', example: 10 }),
  chance: z
    .number()
    .meta({ description: 'Probability, from 0 to 1, that this channel is tried first.', example: 0.75 }),
  upstream_model: z
    .string()
    .meta({ description: 'Model name that is sent to the provider, after the mapping.', example: 'gpt-4o' }),
  max_input_tokens: z.number().meta({
    description: 'Longer requests are not sent to the channel; 0: no limit.',
    example: 0,
  }),
  obstacle: z.string().nullable().meta({
    description: 'Why the channel is skipped or tried last at the moment; null: no reason.',
    example: null,
  }),
})

export const RoutePreview = z.object({
  candidates: z
    .array(PreviewedCandidate)
    .meta({ description: 'The matching channels, in the order in which they are tried.' }),
  channels_tried: z
    .number()
    .meta({ description: 'Number of channels tried at most for one request.', example: 3 }),
  refusal: z
    .object({
      code: z.string().meta({ description: 'Error code.', example: 'model_not_found' }),
      message: z.string().meta({ description: 'Error message.', example: 'no channel serves the model' }),
    })
    .nullable()
    .meta({ description: 'Why the request would be rejected; null: it would be sent.' }),
})
export type RoutePreview = z.infer<typeof RoutePreview>

export const previewRoute = endpoint({
  method: 'GET',
  path: '/api/channel/route',
  role: 'admin',
  summary: 'Preview where a request would be sent',
  description: 'Lists the channels for a group and a model without sending a request.',
  query: z.object({
    group: QueryText.meta({ description: 'Group. Empty: `default`.', example: 'default' }),
    model: QueryText.meta({ description: 'Model name.', example: 'gpt-4o' }),
  }),
  reply: RoutePreview,
})
