import { nanosToDollars } from '#server/api/csv.ts'
import { NANOS_PER_UNIT } from '#server/core/money.ts'
import type { ChargedUse } from './queries.ts'

/** Who and what the ids of a row are. */
export interface FocusNames {
  /** Of the installation, which issues the charges. */
  readonly installation: string
  readonly users: ReadonlyMap<number, string>
  readonly tokens: ReadonlyMap<number, string>
  /** Undefined for a provider that is unknown or does not show. */
  readonly providerOf: (type: number | null) => string | undefined
}

const MS_PER_SECOND = 1000
const DAY_SECONDS = 86_400

const instant = (seconds: number): string =>
  new Date(seconds * MS_PER_SECOND).toISOString().replace('.000Z', 'Z')

/** Decimals have a point, by which readers of CSV files tell them from whole numbers. */
const decimal = (text: string): string => (text.includes('.') ? text : `${text}.0`)

/** First second of the month of a time, or of a later one. */
function monthOf(seconds: number, further: number): number {
  const date = new Date(seconds * MS_PER_SECOND)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + further) / MS_PER_SECOND
}

function toTags(tags: string): string {
  if (tags === '') return '{}'
  const entries = tags
    .split('\n')
    .map(tag => [tag.slice(0, tag.indexOf('=')), tag.slice(tag.indexOf('=') + 1)] as const)
  return JSON.stringify(Object.fromEntries(entries))
}

/**
 * A row of FOCUS 1.2 (focus.finops.org/focus-specification/v1-2), by its columns in order. There are no discounts, taxes or
 * contracts, so that all costs are one. Columns beginning with `x_` are ours.
 */
export function toFocusRow(
  use: ChargedUse,
  day: number,
  names: FocusNames,
): Readonly<Record<string, string>> {
  const cost = decimal(nanosToDollars(use.quota * NANOS_PER_UNIT))
  const tokens = decimal(String(use.tokens))
  const month = instant(monthOf(day, 0))
  const provider = names.providerOf(use.provider) ?? names.installation
  const hasToken = use.tokenId > 0
  return {
    BilledCost: cost,
    BillingAccountId: 'tollgate',
    BillingAccountName: names.installation,
    BillingAccountType: 'Installation',
    BillingCurrency: 'USD',
    BillingPeriodEnd: instant(monthOf(day, 1)),
    BillingPeriodStart: month,
    ChargeCategory: 'Usage',
    ChargeClass: '',
    ChargeDescription: use.model,
    ChargeFrequency: 'Usage-Based',
    ChargePeriodEnd: instant(day + DAY_SECONDS),
    ChargePeriodStart: instant(day),
    CommitmentDiscountStatus: '',
    ConsumedQuantity: tokens,
    ConsumedUnit: 'Tokens',
    ContractedCost: cost,
    EffectiveCost: cost,
    InvoiceId: `statement-${month.slice(0, 7)}-user-${use.userId}`,
    InvoiceIssuerName: names.installation,
    ListCost: cost,
    PricingCategory: 'Standard',
    PricingQuantity: tokens,
    PricingUnit: 'Tokens',
    ProviderName: names.installation,
    PublisherName: provider,
    ResourceId: hasToken ? `token-${use.tokenId}` : '',
    ResourceName: hasToken ? (names.tokens.get(use.tokenId) ?? '') : '',
    ResourceType: hasToken ? 'Token' : '',
    ServiceCategory: 'AI and Machine Learning',
    ServiceName: provider,
    ServiceSubcategory: 'Generative AI',
    SkuId: use.model,
    SubAccountId: `user-${use.userId}`,
    SubAccountName: names.users.get(use.userId) ?? '',
    SubAccountType: 'User',
    Tags: toTags(use.tags),
    x_QuotaUnits: String(use.quota),
    x_Requests: String(use.requests),
  }
}
