import { createHash } from 'node:crypto'
import type { ValuesOf } from '#contract/options/define-option.ts'
import { systemOptions } from '#contract/options/system-options.ts'
import { GatewayError } from '#server/core/errors.ts'
import { ownEntry } from '#server/core/json/json.ts'
import { isEmbeddingModel, isSpeechModel } from '#server/core/model-names.ts'
import type { RateLimit } from '#server/core/rate-limit.ts'
import { findFamily } from '#server/pricing/catalogue.ts'
import { asObject } from '#server/provider-kit/json.ts'
import type { RateLimitDeps } from '#server/relay/admission/admit.ts'
import { type UsableModelsDeps, usableModels } from '#server/relay/operations/usable-models.ts'
import type { ClientConnection } from '#server/relay/request/client-connection.ts'
import { readJson } from '#server/relay/request/read-json.ts'
import type { Caller, SettingsReader } from '#server/relay/types.ts'
import { options } from '../options.ts'
import type { ClientReports } from './client-reports.ts'

const { DeviceSignInEnabled } = systemOptions
export const READ_OPTIONS = { ...options, DeviceSignInEnabled }

interface ClaudeCodeDeps extends UsableModelsDeps, Pick<RateLimitDeps, 'rateLimiter'> {
  readonly settings: SettingsReader<'RequestTextLimit'>
  readonly options: () => ValuesOf<typeof READ_OPTIONS>
  readonly clientReports: ClientReports
}

interface ClaudeCodeQuery {
  readonly caller: Caller
  readonly connection: ClientConnection
  readonly httpRequest: Request
}

const NOT_MODIFIED = 304
const EVERY_GROUP = '*'

/**
 * The settings that the administrator gives to the caller's group, with the models and the telemetry filled in. Throws
 * GatewayError `not_found` without any, which Claude Code takes for "no policy".
 */
export async function getManagedSettings(
  { caller, httpRequest }: ClaudeCodeQuery,
  deps: ClaudeCodeDeps,
): Promise<Response> {
  const { DeviceSignInEnabled, ClaudeCodeSettings, ClientTelemetryEnabled } = deps.options()
  const own = ownEntry(ClaudeCodeSettings, caller.group) ?? ownEntry(ClaudeCodeSettings, EVERY_GROUP)
  if (!DeviceSignInEnabled || !own) throw notFound('managed settings')
  const settings = {
    availableModels: usableModels(caller, deps).filter(isChatModel),
    ...own,
    env: { ...(ClientTelemetryEnabled && TELEMETRY_ENVIRONMENT), ...asObject(own.env) },
  }
  const checksum = checksumOf(settings)
  const headers = { etag: `"${checksum}"`, 'cache-control': 'private, no-cache' }
  if (httpRequest.headers.get('if-none-match') === headers.etag)
    return new Response(null, { status: NOT_MODIFIED, headers })
  return Response.json({ uuid: `group-${caller.group}`, checksum, settings }, { headers })
}

/** Claude Code offers them as models to talk to. What the catalogue does not know is judged by its name. */
function isChatModel(name: string): boolean {
  const kind = findFamily(name)?.kind
  return kind === undefined ? !isEmbeddingModel(name) && !isSpeechModel(name) : kind === 'chat'
}

const notFound = (what: string): GatewayError =>
  new GatewayError('not_found', { zh: `没有 ${what}`, en: `there are no ${what}` })

/**
 * Variables that Claude Code takes without asking its user; any other variable halts its sign-in until the next start. It
 * sends telemetry to the gateway that it is signed in to, so no address is needed.
 */
const TELEMETRY_ENVIRONMENT = {
  CLAUDE_CODE_ENABLE_TELEMETRY: '1',
  OTEL_METRICS_EXPORTER: 'otlp',
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
}

/** The checksum that Claude Code computes for its copy: SHA-256 of the JSON with sorted keys. */
const checksumOf = (settings: object): string =>
  `sha256:${createHash('sha256')
    .update(JSON.stringify(withSortedKeys(settings)))
    .digest('hex')}`

function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, item]) => [name, withSortedKeys(item)]),
  )
}

/** A client reports once a minute, or in each of its windows. */
const REPORTS: RateLimit = { name: 'client reports', limit: 120, windowMs: 60_000 }

/**
 * Accepts a client's OpenTelemetry report. Only metrics in JSON are read; anything else is dropped with 200, because
 * exporters log every other status as an error.
 */
export async function receiveTelemetry(query: ClaudeCodeQuery, deps: ClaudeCodeDeps): Promise<Response> {
  const { caller, connection, httpRequest } = query
  const { settings, clientReports, rateLimiter } = deps
  const { DeviceSignInEnabled, ClientTelemetryEnabled } = deps.options()
  if (!DeviceSignInEnabled) throw notFound('telemetry endpoints')
  const isRead =
    ClientTelemetryEnabled &&
    connection.url.pathname.startsWith('/v1/metrics') &&
    (httpRequest.headers.get('content-type') ?? '').startsWith('application/json') &&
    (await rateLimiter.take(REPORTS, `user ${caller.userId}`)).isAllowed
  if (!isRead) {
    clientReports.drop()
    return Response.json({})
  }
  const { value } = await readJson(connection, caller, settings, 'small')
  clientReports.add(value, new Set(usableModels(caller, deps)))
  return Response.json({})
}
