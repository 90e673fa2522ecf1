import { putOptions } from '#contract/options/options.ts'
import type { AdminClient } from './api-client.ts'

type Value = string | number | boolean | Readonly<Record<string, unknown>>

/** Stores system options in one call. Objects are stored as JSON. */
export async function setOptions(root: AdminClient, options: Readonly<Record<string, Value>>): Promise<void> {
  const body = Object.entries(options).map(([key, value]) => ({
    key,
    value: typeof value === 'object' ? JSON.stringify(value) : value,
  }))
  await root.call(putOptions, { body })
}
