import { USAGE_COUNTINGS } from '#contract/entities/channels/channel-setting.ts'
import { REQUEST_POLICIES, type RequestPolicy } from '#contract/enums.ts'
import { type PurchaseRow, readPurchaseRows, writePurchaseRows } from './purchase-prices.ts'

/** Empty: as the provider counts. */
export const COUNTING_CHOICES = ['', ...USAGE_COUNTINGS] as const
type CountingChoice = (typeof COUNTING_CHOICES)[number]

/** The keys of a channel's setting that have form fields of their own, and the remaining JSON. */
interface SettingFields {
  /** True when the lines of the key are keys of this one channel. */
  readonly several_keys: boolean
  /** Whole numbers as typed text; 0 is no limit. */
  readonly max_concurrency: string
  readonly requests_per_minute: string
  /** The provider's region, whose prices apply; empty for the usual ones. */
  readonly region: string
  readonly service_tier: RequestPolicy
  readonly server_tools: RequestPolicy
  readonly cached_tokens: CountingChoice
  readonly reasoning_tokens: CountingChoice
  /** The multiplier of the upstream's figures, as typed text. */
  readonly usage_multiplier: string
  /** The share of the catalogue's prices that the account pays, as typed text; empty where it is unknown. */
  readonly purchase_factor: string
  /** Prices of single models. */
  readonly purchase_prices: readonly PurchaseRow[]
  /** The remaining JSON; the text as it is stored when it has none of the keys above. */
  readonly setting: string
}

const parseObject = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const parsed: unknown = JSON.parse(text.trim() === '' ? '{}' : text)
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? { ...parsed } : undefined
  } catch {
    return undefined
  }
}

const limitText = (stored: unknown): string => (typeof stored === 'number' ? String(stored) : '0')

/** The provider's offers, its way of counting, and its prices for the account. */
export const PROVIDER_TERM_FIELDS = [
  'region',
  'service_tier',
  'server_tools',
  'cached_tokens',
  'reasoning_tokens',
  'usage_multiplier',
  'purchase_factor',
  'purchase_prices',
] as const

const SETTING_KEYS = [
  'several_keys',
  'max_concurrency',
  'requests_per_minute',
  ...PROVIDER_TERM_FIELDS,
] as const

export function readSetting(stored: string): SettingFields {
  const parsed = parseObject(stored) ?? {}
  const rows = readPurchaseRows(parsed.purchase_prices)
  // Price lists that no row can show stay in the text.
  const own = new Set<string>(SETTING_KEYS.filter(key => key !== 'purchase_prices' || rows))
  const rest = Object.fromEntries(Object.entries(parsed).filter(([key]) => !own.has(key)))
  const { region, usage_multiplier, purchase_factor } = parsed
  const hasFields = Object.keys(parsed).some(key => own.has(key))
  const remaining = Object.keys(rest).length === 0 ? '' : JSON.stringify(rest, undefined, 2)
  return {
    several_keys: parsed.several_keys === true,
    max_concurrency: limitText(parsed.max_concurrency),
    requests_per_minute: limitText(parsed.requests_per_minute),
    region: typeof region === 'string' ? region : '',
    service_tier: readPolicy(parsed.service_tier),
    server_tools: readPolicy(parsed.server_tools),
    cached_tokens: readCounting(parsed.cached_tokens),
    reasoning_tokens: readCounting(parsed.reasoning_tokens),
    usage_multiplier: typeof usage_multiplier === 'number' ? String(usage_multiplier) : '1',
    purchase_factor: typeof purchase_factor === 'number' ? String(purchase_factor) : '',
    purchase_prices: rows ?? [],
    setting: hasFields ? remaining : stored,
  }
}

const readCounting = (stored: unknown): CountingChoice =>
  COUNTING_CHOICES.find(choice => choice === stored) ?? ''

const readPolicy = (stored: unknown): RequestPolicy =>
  REQUEST_POLICIES.find(policy => policy === stored) ?? 'allow'

/** Joins the fields and the remaining JSON to one text. The fields win over equal keys, and prices over those of the same model; invalid JSON is kept as typed. */
export function writeSetting({ setting, ...fields }: SettingFields): string {
  const rest = parseObject(setting)
  const { several_keys, max_concurrency, requests_per_minute, region, service_tier, server_tools } = fields
  const { cached_tokens, reasoning_tokens, usage_multiplier } = fields
  const written = {
    ...(several_keys && { several_keys: true }),
    ...(Number(max_concurrency) > 0 && { max_concurrency: Number(max_concurrency) }),
    ...(Number(requests_per_minute) > 0 && { requests_per_minute: Number(requests_per_minute) }),
    ...(region !== '' && { region }),
    ...(service_tier !== 'allow' && { service_tier }),
    ...(server_tools !== 'allow' && { server_tools }),
    ...(cached_tokens && { cached_tokens }),
    ...(reasoning_tokens && { reasoning_tokens }),
    ...(Number(usage_multiplier) !== 1 && { usage_multiplier: Number(usage_multiplier) }),
    ...writePurchaseTerms(fields, rest?.purchase_prices),
  }
  if (!rest || Object.keys(written).length === 0) return setting.trim()
  return JSON.stringify({ ...rest, ...written }, undefined, 2)
}

function writePurchaseTerms(
  { purchase_factor, purchase_prices }: Pick<SettingFields, 'purchase_factor' | 'purchase_prices'>,
  typed: unknown,
) {
  const prices = writePurchaseRows(purchase_prices)
  return {
    ...(purchase_factor.trim() !== '' && { purchase_factor: Number(purchase_factor) }),
    ...(prices && { purchase_prices: { ...asObject(typed), ...prices } }),
  }
}

const asObject = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {})

/** True when two settings have the same content, regardless of formatting and order of keys. */
export function isSameSetting(one: string, other: string): boolean {
  const [a, b] = [one, other].map(parseObject)
  return one === other || (a !== undefined && b !== undefined && sortedJson(a) === sortedJson(b))
}

/** JSON text with the members of every object in alphabetical order. */
const sortedJson = (setting: unknown): string =>
  JSON.stringify(setting, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
