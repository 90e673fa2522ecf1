import type { z } from 'zod'
import { accountOptions } from './options/account-options.ts'
import { contentOptions } from './options/content-options.ts'
import { moneyInOptions } from './options/money-in-options.ts'
import { priceOptions } from './options/price-options.ts'
import { relayOptions } from './options/relay-options.ts'

/** Every system option by its key. */
export const systemOptions = {
  ...accountOptions,
  ...moneyInOptions,
  ...contentOptions,
  ...priceOptions,
  ...relayOptions,
} as const

export type OptionKey = keyof typeof systemOptions
/** The live values, read from their texts. */
export type OptionValues = { readonly [Key in OptionKey]: z.output<(typeof systemOptions)[Key]['schema']> }

export const isOptionKey = (key: string): key is OptionKey => Object.hasOwn(systemOptions, key)
