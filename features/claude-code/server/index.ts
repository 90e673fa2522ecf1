import { defineFeature } from '#server/feature.ts'
import { get, post } from '#server/relay/routes/routes.ts'
import { options } from '../options.ts'
import { getManagedSettings, READ_OPTIONS, receiveTelemetry } from './claude-code.ts'
import { ClientReports } from './client-reports.ts'
import { getSpending, USAGE_PATH } from './usage.ts'

export const feature = defineFeature({
  options,
  start({ db, channels, rateLimiter, metrics, settings, relay }) {
    const deps = {
      db,
      channels,
      rateLimiter,
      settings: relay.settings,
      options: () => settings.of(READ_OPTIONS),
      clientReports: new ClientReports(metrics),
    }
    return {
      isRelayPath: path => path === USAGE_PATH,
      paths: [
        get('/managed/settings', query => getManagedSettings(query, deps), 'anthropic'),
        get(USAGE_PATH, query => getSpending(query, deps), 'anthropic'),
        post(/^\/v1\/(metrics|logs|traces)$/, query => receiveTelemetry(query, deps), 'anthropic'),
      ],
    }
  },
})
