import { accountOptions } from './account-options.ts'
import { contentOptions } from './content-options.ts'
import type { ValuesOf } from './define-option.ts'
import { generalOptions } from './general-options.ts'
import { integrationOptions } from './integration-options.ts'
import { priceOptions } from './price-options.ts'
import { relayOptions } from './relay-options.ts'

/** The options of the base by their names. Features declare their own in `features/<name>/options.ts`. */
export const systemOptions = {
  ...generalOptions,
  ...relayOptions,
  ...priceOptions,
  ...integrationOptions,
  ...accountOptions,
  ...contentOptions,
} as const

export type OptionKey = keyof typeof systemOptions
export type OptionValues = ValuesOf<typeof systemOptions>

export const isOptionKey = (key: string): key is OptionKey => Object.hasOwn(systemOptions, key)
