import { z } from 'zod'
import type { ChannelRow } from '../../db/channels/channels.ts'

const Setting = z.looseObject({
  purchase_factor: z.number().optional(),
  purchase_prices: z.record(z.string(), z.unknown()).optional(),
})
const ModelMapping = z.record(z.string(), z.string())

/** Whether the channel says what its account pays, so that requests have a cost. */
export function hasPurchasePrices({ setting }: Pick<ChannelRow, 'setting'>): boolean {
  const { purchase_factor, purchase_prices = {} } = Setting.parse(parseObject(setting))
  return purchase_factor !== undefined || Object.keys(purchase_prices).length > 0
}

/** Under which names models are sent to the vendor, as the channel says now. */
export const mappingOf = ({ model_mapping }: Pick<ChannelRow, 'model_mapping'>) =>
  ModelMapping.parse(parseObject(model_mapping))

/** Empty text, and the text `null` that older consoles send, mean an empty object. */
const parseObject = (text: string): unknown => (text === '' || text === 'null' ? {} : JSON.parse(text))
