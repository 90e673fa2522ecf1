import { addLabChannel, addToken } from './lab-channel.ts'
import { setOptions } from './set-options.ts'
import { type Site, startSite } from './start-site.ts'

/** One provider per API format, with the model of its channel. */
export const KINDS = [
  { provider: 'openai', model: 'gpt-4o-mini' },
  { provider: 'anthropic', model: 'claude-3-5-haiku-20241022' },
  { provider: 'gemini', model: 'gemini-2.0-flash' },
] as const

/** The text of every lab response. */
export const SENTENCE =
  'Hello from the lab 👋 No model thinks here: the same words come every time, at a set pace, counted honestly. 你好，世界。'
/** Tokens that the lab counts for the text. */
export const OUTPUT_TOKENS = 22
export const QUESTION = 'hello, hello'
export const IMAGE = Buffer.from('a picture').toString('base64')
export const CITY_SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city', 'days'],
} as const
export const CITY = { city: 'Lisbon', days: 21 }

export interface DialectSite extends Site {
  readonly key: string
}

/** Starts a gateway with the three channels, each in its own lab namespace, and creates a token. */
export async function startDialectSite(embedders: readonly string[] = []): Promise<DialectSite> {
  const site = await startSite()
  const models = [...KINDS.map(({ model }) => model), ...embedders]
  await setOptions(site.root, { ModelRatio: Object.fromEntries(models.map(model => [model, 1])) })
  for (const { provider, model } of KINDS) {
    const offered = provider === 'gemini' ? [model, ...embedders] : [model]
    await addLabChannel(site.root, site.lab, { provider, models: offered, namespace: provider })
  }
  const { key } = await addToken(site.root)
  return { ...site, key: `sk-${key}` }
}
