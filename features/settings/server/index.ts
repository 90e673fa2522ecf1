import * as endpoints from '#contract/options/options.ts'
import { listUnnamedProxies } from '#contract/options/unnamed-proxies.ts'
import { handle, handleResult, type Route } from '#server/api/handle.ts'
import type { RateLimiter } from '#server/core/rate-limit.ts'
import { defineFeature } from '#server/feature.ts'
import { optionDefault } from '#server/settings/option-defaults.ts'
import { createReleaseFeed, type FetchLatestRelease } from './release-feed.ts'
import { readSetup } from './setup.ts'
import { storeOptions } from './update.ts'

const RESET = { zh: '模型倍率已重置为默认值', en: 'the model ratios have been reset to their defaults' }

const createRoutes = (fetchLatestRelease: FetchLatestRelease, rateLimiter: RateLimiter): readonly Route[] => [
  handle(endpoints.listOptions, async ({ settings }) => {
    const { texts } = settings.current()
    return Object.entries(settings.options).map(([key, { isSecret }]) => {
      const { [key]: text = '' } = texts
      return { key, value: isSecret ? '' : text, is_secret: isSecret, is_set: text !== '' }
    })
  }),

  handle(endpoints.getSetup, context => readSetup(context, rateLimiter)),

  handle(endpoints.putOptions, ({ body, ...context }) =>
    storeOptions(Array.isArray(body) ? body : [body], context),
  ),

  handle(endpoints.getLatestRelease, async ({ settings, installation: { version: running } }) => {
    const release = await fetchLatestRelease(settings.current().values.UpdateFeedUrl, running)
    const { version: latest, url, notes, publishedAt } = release
    return {
      running,
      latest,
      is_newer: Bun.semver.order(latest, running) > 0,
      url,
      notes,
      published_at: publishedAt,
    }
  }),

  handle(listUnnamedProxies, async context => [...context.listUnnamedProxies()]),

  handleResult(endpoints.resetModelRatio, async ({ language, ...context }) => {
    const value = optionDefault('ModelRatio')
    await storeOptions([{ key: 'ModelRatio', value }], { ...context, language })
    return { message: RESET[language] }
  }),
]

export const feature = defineFeature({
  start: ({ safeFetch, rateLimiter }) => ({
    routes: createRoutes(createReleaseFeed(safeFetch), rateLimiter),
  }),
})
