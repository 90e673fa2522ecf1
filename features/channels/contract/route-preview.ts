import { z } from 'zod'
import { endpoint } from '#contract/endpoint.ts'
import { numberField, QueryText, textField } from '#contract/fields.ts'

const PreviewedCandidate = z.object({
  channel_id: numberField('Channel id.', 12),
  channel_name: textField('Channel name.', 'OpenAI main'),
  priority: numberField('Priority of the channel.', 0),
  weight: numberField('Weight of the channel.', 10),
  chance: numberField('Probability, from 0 to 1, that this channel is tried first.', 0.75),
  upstream_model: textField('Model name that is sent to the provider, after the mapping.', 'gpt-4o'),
  max_input_tokens: numberField('Longer requests are not sent to the channel; 0: no limit.', 0),
  obstacle: z.string().nullable().meta({
    description: 'Why the channel is skipped or tried last at the moment; null: no reason.',
    example: null,
  }),
})

export const RoutePreview = z.object({
  candidates: z
    .array(PreviewedCandidate)
    .meta({ description: 'The matching channels, in the order in which they are tried.' }),
  channels_tried: numberField('Number of channels tried at most for one request.', 3),
  refusal: z
    .object({
      code: textField('Error code.', 'model_not_found'),
      message: textField('Error message.', 'no channel serves the model'),
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
