import prices from './default-prices.json'
import { listedFigures } from './list-prices.ts'
import { descriptions, figures, whole } from './option.ts'

const UNITS: readonly [number, number] = [0, 1_000_000_000_000]

export const priceOptions = {
  QuotaForNewUser: whole(0, UNITS, 'operation', 'units that a new account starts with'),
  QuotaForInviter: whole(0, UNITS, 'operation', 'units that an invitation earns'),
  QuotaForInvitee: whole(0, UNITS, 'operation', 'units for coming by invitation'),
  PreConsumedQuota: whole(
    500,
    [0, 10_000_000],
    'operation',
    'tokens held for an answer whose length is not stated',
  ),
  QuotaRemindThreshold: whole(1000, UNITS, 'operation', 'balance below which an account is warned'),
  ModelRatio: figures(
    { ...listedFigures.modelRatio, ...prices.model_ratio },
    'operation',
    'price of a prompt token by model; 1 is 2 dollars a million',
  ),
  ModelPrice: figures(
    { ...listedFigures.modelPrice, ...prices.model_price },
    'operation',
    'dollars per call by model; it takes the place of the ratios',
  ),
  CompletionRatio: figures(
    { ...listedFigures.completionRatio, ...prices.completion_ratio },
    'operation',
    'factor on produced tokens by model',
  ),
  CacheRatio: figures(
    { ...listedFigures.cacheRatio, ...prices.cache_ratio },
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
