import { defineFeature } from '#server/feature.ts'
import { get, post } from '#server/relay/routes/routes.ts'
import { options } from '../options.ts'
import { getManagedSettings, READ_OPTIONS, receiveTelemetry } from './claude-code.ts'
import { ClientReports } from './client-reports.ts'

export const feature = defineFeature({
  options,
  start({ channels, rateLimiter, metrics, settings, relay }) {
    const deps = {
      channels,
      rateLimiter,
      settings: relay.settings,
      options: () => settings.of(READ_OPTIONS),
      clientReports: new ClientReports(metrics),
    }
    return {
      paths: [
        get('/managed/settings', query => getManagedSettings(query, deps), 'anthropic'),
        post(/^\/v1\/(metrics|logs|traces)$/, query => receiveTelemetry(query, deps), 'anthropic'),
      ],
    }
  },
})
