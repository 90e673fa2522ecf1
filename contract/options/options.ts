import { z } from 'zod'
import { endpoint } from '../endpoint.ts'

export const OptionEntry = z.object({
  key: z.string(),
  /** Empty for secrets. */
  value: z.string(),
  is_secret: z.boolean(),
  /** Whether a value is stored; for secrets all that is told. */
  is_set: z.boolean(),
})
export type OptionEntry = z.infer<typeof OptionEntry>

const Value = z.union([z.string(), z.number(), z.boolean()]).transform(String)
export const OptionChange = z.object({ key: z.string().min(1).max(100), value: Value })

export const listOptions = endpoint({
  method: 'GET',
  path: '/api/option/',
  role: 'root',
  summary: 'Every option with its text; secrets only tell whether they are set',
  reply: z.array(OptionEntry),
})

export const putOptions = endpoint({
  method: 'PUT',
  path: '/api/option/',
  role: 'root',
  summary: 'Stores one option, or several in one transaction. An empty text takes a secret away',
  body: z.union([OptionChange, z.array(OptionChange).min(1).max(200)]),
})

export const LatestRelease = z.object({
  /** Of the server that answers. */
  running: z.string(),
  latest: z.string(),
  is_newer: z.boolean(),
  /** Its page; empty when it has none. */
  url: z.string(),
  /** Markdown. */
  notes: z.string(),
  /** Unix seconds; 0 when it is not said. */
  published_at: z.number(),
})
export type LatestRelease = z.infer<typeof LatestRelease>

export const getLatestRelease = endpoint({
  method: 'GET',
  path: '/api/option/latest_release',
  role: 'root',
  summary: 'Asks the address in UpdateFeedUrl for the latest release and compares it with the running one',
  reply: LatestRelease,
})

export const resetModelRatio = endpoint({
  method: 'POST',
  path: '/api/option/rest_model_ratio',
  role: 'root',
  summary: 'Puts the model ratios back to their defaults',
})
