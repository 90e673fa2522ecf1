import { z } from 'zod'
import type { ChannelRow } from '#server/db/channels/channels.ts'
import { parseJson } from '#server/provider-kit/json.ts'

const Setting = z.looseObject({
  purchase_factor: z.number().optional(),
  purchase_prices: z.record(z.string(), z.unknown()).optional(),
})
const ModelMapping = z.record(z.string(), z.string())

/** Whether the channel says what its account pays, so that requests have a cost. */
export function hasPurchasePrices({ setting }: Pick<ChannelRow, 'setting'>): boolean {
  const { purchase_factor, purchase_prices = {} } = parseField(setting, Setting) ?? {}
  return purchase_factor !== undefined || Object.keys(purchase_prices).length > 0
}

/** Under which names models are sent to the provider, as the channel says now. */
export const mappingOf = ({ model_mapping }: Pick<ChannelRow, 'model_mapping'>): Record<string, string> =>
  parseField(model_mapping, ModelMapping) ?? {}

/** Undefined for text that cannot be read: such a channel serves nothing, and its past costs stay comparable. */
function parseField<Value>(text: string, schema: z.ZodType<Value>): Value | undefined {
  return schema.safeParse(parseJson(text)).data
}
