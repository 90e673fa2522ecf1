import { z } from 'zod'
import { messageOf } from '../../core/errors.ts'
import type { RoutingChannelRow } from '../../db/routing-channels.ts'
import type { JsonObject } from '../../provider-kit/chat.ts'
import type { ChannelView } from '../../provider-kit/exchange.ts'
import type { Provider } from '../../provider-kit/provider.ts'
import type { ChannelLimits } from './channel-limits.ts'

/** A configured channel, ready to be tried. */
export interface RoutedChannel {
  readonly id: number
  readonly name: string
  readonly isEnabled: boolean
  readonly priority: number
  readonly weight: number
  readonly canBeDisabledAutomatically: boolean
  readonly models: readonly string[]
  readonly groups: readonly string[]
  readonly testModel: string
  readonly provider: Provider
  /** With the key that is to be used. */
  readonly view: ChannelView
  /** The channel as the vendor sees it, once for each of its keys. */
  readonly views: readonly ChannelView[]
  readonly limits: ChannelLimits
  readonly modelMapping: Readonly<Record<string, string>>
  readonly statusCodeMapping: Readonly<Record<string, number>>
  /** Top-level fields written over the outgoing body. */
  readonly paramOverride: JsonObject
}

const CHANNEL_ENABLED = 1

const ModelMapping = z.record(z.string(), z.string())
const StatusCodeMapping = z.record(z.string(), z.coerce.number().int().min(100).max(599))
const Setting = z.looseObject({
  force_format: z.boolean().optional(),
  thinking_to_content: z.boolean().optional(),
  proxy: z.string().optional(),
  several_keys: z.boolean().optional(),
  max_concurrency: z.number().optional(),
  requests_per_minute: z.number().optional(),
})
const AnyObject = z.record(z.string(), z.unknown())

/** Makes a row ready. Throws an Error that names the field when one of its JSON texts cannot be read. */
export function toRoutedChannel(
  row: Omit<RoutingChannelRow, 'key_sealed'>,
  provider: Provider,
  key: string,
): RoutedChannel {
  const setting = withoutUndefined(readJson('setting', row.setting, Setting))
  const view: ChannelView = {
    id: row.id,
    key,
    baseUrl: row.base_url || provider.baseUrl,
    other: row.other,
    organization: row.openai_organization,
    setting,
  }
  const views = setting.several_keys ? linesOf(key).map(line => ({ ...view, key: line })) : [view]
  return {
    id: row.id,
    name: row.name,
    isEnabled: row.status === CHANNEL_ENABLED,
    priority: row.priority,
    weight: Math.max(row.weight, 0),
    canBeDisabledAutomatically: row.auto_ban === 1,
    models: commaList(row.models),
    groups: commaList(row.group),
    testModel: row.test_model,
    provider,
    view: views[0] ?? view,
    views,
    limits: {
      ...(setting.max_concurrency && { concurrency: setting.max_concurrency }),
      ...(setting.requests_per_minute && { requestsPerMinute: setting.requests_per_minute }),
    },
    modelMapping: readJson('model_mapping', row.model_mapping, ModelMapping),
    statusCodeMapping: readJson('status_code_mapping', row.status_code_mapping, StatusCodeMapping),
    paramOverride: readJson('param_override', row.param_override, AnyObject),
  }
}

const linesOf = (text: string): readonly string[] => text.split('\n').filter(line => line !== '')

export const commaList = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(',')
      .map(entry => entry.trim())
      .filter(Boolean),
  ),
]

/** Empty text, and the text `null` that older consoles send, mean an empty object. */
function readJson<Value>(field: string, text: string, schema: z.ZodType<Value>): Value {
  try {
    return schema.parse(text === '' || text === 'null' ? {} : JSON.parse(text))
  } catch (cause) {
    throw new Error(`the channel's ${field} cannot be read: ${messageOf(cause)}`, { cause })
  }
}

const withoutUndefined = <Value extends object>(value: Value) =>
  Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined))
