import { afterAll, beforeAll, expect, test } from 'bun:test'
import { deleteToken, listTokens } from '#contract/entities/token.ts'
import { approveDeviceSignIn } from '#features/device-sign-in/contract.ts'
import { type DialectSite, KINDS, startDialectSite } from '../harness/dialect-site.ts'
import { setOptions } from '../harness/set-options.ts'

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const MODEL = KINDS[1].model

let site: DialectSite
beforeAll(async () => {
  site = await startDialectSite()
  await setOptions(site.root, {
    DeviceSignInEnabled: true,
    ClientTelemetryEnabled: true,
    MetricsOpenEnabled: true,
    ClaudeCodeSettings: { '*': { permissions: { deny: ['WebFetch'] }, env: { DISABLE_AUTOUPDATER: '1' } } },
  })
})
afterAll(() => site?.stop())

async function post(url: string, form: Record<string, string> = {}) {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(form) })
  return { status: response.status, body: await response.json() }
}

const authorized = (token: string, headers = {}) => ({
  headers: { authorization: `Bearer ${token}`, 'anthropic-version': '2023-06-01', ...headers },
})

/** Signs in as Claude Code does: it reads the endpoints and follows them. */
async function signIn() {
  const discovery = await fetch(`${site.gateway.url}/.well-known/oauth-authorization-server`)
  const { device_authorization_endpoint, token_endpoint } = await discovery.json()
  expect(new URL(token_endpoint).origin).toBe(site.gateway.url)
  const { device_code, user_code } = (await post(device_authorization_endpoint)).body
  await site.root.call(approveDeviceSignIn, { body: { user_code, name: 'Claude Code', group: '' } })
  const { body } = await post(token_endpoint, { grant_type: GRANT, device_code })
  return {
    token: String(body.access_token),
    refresh: () =>
      post(token_endpoint, { grant_type: 'refresh_token', refresh_token: String(body.refresh_token) }),
  }
}

const ask = (token: string) =>
  fetch(`${site.gateway.url}/v1/messages`, {
    method: 'POST',
    ...authorized(token, { 'content-type': 'application/json' }),
    body: JSON.stringify({ model: MODEL, max_tokens: 50, messages: [{ role: 'user', content: 'hello' }] }),
  })

test('a program that signs in lists models, gets answers, refreshes, and stops when its token is deleted', async () => {
  const { token, refresh } = await signIn()
  const models = await fetch(`${site.gateway.url}/v1/models`, authorized(token))
  expect((await models.json()).data.map(({ id }: { id: string }) => id)).toContain(MODEL)
  expect((await ask(token)).status).toBe(200)
  const { body } = await refresh()
  expect((await ask(token)).status).toBe(401)
  expect((await ask(body.access_token)).status).toBe(200)
  const [row] = await site.root.call(listTokens, { query: { p: 0 } })
  await site.root.call(deleteToken, { params: { id: row?.id ?? 0 } })
  const rejected = await ask(body.access_token)
  expect(rejected.status).toBe(401)
  expect(await rejected.json()).toMatchObject({ type: 'error', error: { type: 'authentication_error' } })
})

test('managed settings have the models and the telemetry filled in, and are sent once', async () => {
  const { token } = await signIn()
  const url = `${site.gateway.url}/managed/settings`
  const response = await fetch(url, authorized(token))
  const { checksum, settings } = await response.json()
  expect(settings).toMatchObject({
    permissions: { deny: ['WebFetch'] },
    env: { DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_ENABLE_TELEMETRY: '1' },
  })
  expect(settings.availableModels).toContain(MODEL)
  // Claude Code asks its user about any other variable, which halts its sign-in.
  expect(Object.keys(settings.env).sort()).toEqual([
    'CLAUDE_CODE_ENABLE_TELEMETRY',
    'DISABLE_AUTOUPDATER',
    'OTEL_EXPORTER_OTLP_PROTOCOL',
    'OTEL_METRICS_EXPORTER',
  ])
  expect(response.headers.get('etag')).toBe(`"${checksum}"`)
  const again = await fetch(url, authorized(token, { 'if-none-match': `"${checksum}"` }))
  expect(again.status).toBe(304)
  expect((await fetch(url)).status).toBe(401)
})

test('reported tokens are counted by model, and other telemetry is accepted and dropped', async () => {
  const { token } = await signIn()
  const point = (model: string, asDouble: number) => ({
    asDouble,
    attributes: [
      { key: 'model', value: { stringValue: model } },
      { key: 'type', value: { stringValue: 'output' } },
    ],
  })
  const points = [point(MODEL, 12), point('invented', 5), point(MODEL, -3), point(MODEL, 1e30)]
  const sum = { aggregationTemporality: 1, dataPoints: points }
  const metrics = [{ name: 'claude_code.token.usage', sum }]
  const send = (signal: string, body: string, type = 'application/json') =>
    fetch(`${site.gateway.url}/v1/${signal}`, {
      method: 'POST',
      ...authorized(token, { 'content-type': type }),
      body,
    })
  const report = JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics }] }] })
  expect((await send('metrics', report)).status).toBe(200)
  expect((await send('metrics', 'binary', 'application/x-protobuf')).status).toBe(200)
  expect((await send('logs', '{}')).status).toBe(200)
  expect((await send('metrics', '{')).status).toBe(400)
  const text = await (await fetch(`${site.gateway.url}/metrics`)).text()
  expect(text).toContain(`tollgate_client_tokens_total{model="${MODEL}",type="output"} 12\n`)
  expect(text).toContain('tollgate_client_tokens_total{model="other",type="output"} 5\n')
})
