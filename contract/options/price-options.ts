import prices from './default-prices.json'
import { descriptions, figures, integer } from './define-option.ts'
import { listedPrices } from './list-prices.ts'

const UNITS: readonly [number, number] = [0, 1_000_000_000_000]

export const priceOptions = {
  QuotaForNewUser: integer(0, UNITS, 'operation', 'units that a new account starts with'),
  QuotaForInviter: integer(0, UNITS, 'operation', 'units that an invitation earns'),
  QuotaForInvitee: integer(0, UNITS, 'operation', 'units for coming by invitation'),
  PreConsumedQuota: integer(
    500,
    [0, 10_000_000],
    'operation',
    'tokens held for an answer whose length is not stated',
  ),
  QuotaRemindThreshold: integer(1000, UNITS, 'operation', 'balance below which an account is warned'),
  ModelRatio: figures(
    { ...listedPrices.modelRatio, ...prices.model_ratio },
    'operation',
    'price of a prompt token by model; 1 is 2 dollars a million',
  ),
  ModelPrice: figures(
    { ...listedPrices.modelPrice, ...prices.model_price },
    'operation',
    'dollars per call by model; it takes the place of the ratios',
  ),
  CompletionRatio: figures(
    { ...listedPrices.completionRatio, ...prices.completion_ratio },
    'operation',
    'factor on produced tokens by model',
  ),
  CacheRatio: figures(
    { ...listedPrices.cacheRatio, ...prices.cache_ratio },
    'operation',
    'factor on prompt tokens that the vendor read from its cache',
  ),
  CreateCacheRatio: figures(
    prices.create_cache_ratio,
    'operation',
    'factor on prompt tokens that the vendor wrote to its cache; for what Claude keeps an hour 1.6 times as much',
  ),
  GroupRatio: figures(
    prices.group_ratio,
    'operation',
    'factor on every price by group; these are the groups there are',
  ),
  UserUsableGroups: descriptions(
    prices.user_usable_groups,
    'operation',
    'groups that any user may choose, with a description',
  ),
} as const
