import { defineFeature } from '#server/feature.ts'
import { get, post } from '#server/relay/routes/routes.ts'
import { getManagedSettings, receiveTelemetry } from './claude-code.ts'
import { ClientReports } from './client-reports.ts'

export const feature = defineFeature({
  start({ channels, rateLimiter, metrics, settings, relay }) {
    const deps = {
      channels,
      rateLimiter,
      settings: relay.settings,
      options: () => settings.current().values,
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
