import type { z } from 'zod'
import { accountOptions } from './account-options.ts'
import { contentOptions } from './content-options.ts'
import { generalOptions } from './general-options.ts'
import { integrationOptions } from './integration-options.ts'
import { priceOptions } from './price-options.ts'
import { relayOptions } from './relay-options.ts'

/** Every system option by its key. */
export const systemOptions = {
  ...generalOptions,
  ...relayOptions,
  ...priceOptions,
  ...integrationOptions,
  ...accountOptions,
  ...contentOptions,
} as const

export type OptionKey = keyof typeof systemOptions
/** The values parsed from their texts. */
export type OptionValues = { readonly [Key in OptionKey]: z.output<(typeof systemOptions)[Key]['schema']> }

export const isOptionKey = (key: string): key is OptionKey => Object.hasOwn(systemOptions, key)
