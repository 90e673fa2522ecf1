import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { z } from 'zod'
import type { AnyEndpoint } from '#contract/endpoint.ts'
import { createToken } from '#contract/entities/token.ts'
import { getSelf } from '#contract/entities/user.ts'
import { createOpenApiDocument } from '#features/api-reference/server/openapi.ts'
import { createChannels } from '#features/channels/contract/channel-endpoints.ts'
import { createRedemptions } from '#features/redemption-codes/contract.ts'
import { createLogger } from '#server/core/logger.ts'
import { auditLedger } from '#server/ledger/audit.ts'
import { loadRoutes, openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import { arbitraryOf } from './arbitrary-of.ts'
import { createResponseCheck } from './described-responses.ts'

/** A database server takes ten times as long per request, so it gets only the first ones of the same sequence. */
const REQUESTS_PER_CALL = Number(process.env.FUZZ_REQUESTS ?? (process.env.TEST_DATABASE_URL ? 12 : 30))
/** Fixed, so that failures are reproducible. */
const SEED = 20_261_121

/** A client address of its own, so that failed sign-ins throttle no other test. */
const ELSEWHERE = '203.0.113.9'

const endpoints: readonly AnyEndpoint[] = (await loadRoutes()).map(route => route.endpoint)

const TEXT_SHOWN_MAX = 1000

const check = createResponseCheck(JSON.stringify(createOpenApiDocument(endpoints, '0.0.0')))

let app: TestApp
let logged = ''
let made = 0
beforeAll(async () => {
  const write = (line: string) => {
    logged = line
  }
  app = await openTestApp({ log: createLogger({ level: 'error', isPretty: false, write }) })
})
afterAll(() => app.close())

/** A separate root user per endpoint, since some endpoints end sessions, with one object of each kind. */
async function openRoot() {
  made += 1
  const root = await app.addUser({ username: `fuzz-${made}`, role: 'root', quota: 1000 })
  await root.call(createToken, { body: { name: 'token', unlimited_quota: true } })
  await root.call(createChannels, { body: { type: 1, name: 'c', key: 'k', models: 'm', group: 'default' } })
  await root.call(createRedemptions, { body: { name: 'code', quota: 1, count: 2 } })
  return root
}

interface SentBody {
  readonly params: Readonly<Record<string, string>>
  readonly query: unknown
  readonly body: unknown
  readonly isSlashed: boolean
}

const schemaOf = (schema: z.ZodType) =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as object

const requestTo = ({ path, query, body }: AnyEndpoint): fc.Arbitrary<SentBody> =>
  fc.record({
    params: fc.record(
      Object.fromEntries(
        [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => [
          name,
          fc.oneof(
            fc.integer({ min: 1, max: 5 }).map(String),
            fc.constantFrom('0', '-1', 'x', '9'.repeat(30)),
          ),
        ]),
      ),
    ),
    query: arbitraryOf(schemaOf(query)),
    body: arbitraryOf(schemaOf(body)),
    isSlashed: fc.boolean(),
  })

function addressOf({ path }: AnyEndpoint, { params, query, isSlashed }: SentBody): string {
  const bare = path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? '').replace(/\/$/, '')
  const search = new URLSearchParams(
    Object.entries(typeof query === 'object' && query !== null ? query : {}).map(([name, value]) => [
      name.toWellFormed(),
      String(typeof value === 'object' ? JSON.stringify(value) : value).toWellFormed(),
    ]),
  )
  return `${bare}${isSlashed ? '/' : ''}?${search}`
}

for (const endpoint of endpoints)
  test(`${endpoint.method} ${endpoint.path} responds to any request as it is described`, async () => {
    const root = await openRoot()
    await fc.assert(
      fc.asyncProperty(requestTo(endpoint), async sent => {
        const hasBody = endpoint.method !== 'GET' && sent.body !== undefined
        const init = { method: endpoint.method, ...(hasBody && { body: JSON.stringify(sent.body) }) }
        const response = await root.fetch(addressOf(endpoint, sent), init, ELSEWHERE)
        const text = await response.text()
        if (response.status >= 500) throw new Error(`${response.status} ${text} ${logged}`)
        const problem = check(endpoint, response, text)
        if (problem) throw new Error(`${problem}\n${response.status} ${text.slice(0, TEXT_SHOWN_MAX)}`)
      }),
      { numRuns: REQUESTS_PER_CALL, seed: SEED },
    )
  })

test('notices responses that the document does not describe', () => {
  const respond = (body: object, status = 200) => {
    const text = JSON.stringify(body)
    const headers = { 'content-type': 'application/json' }
    return check(getSelf, new Response(text, { status, headers }), text)
  }
  expect(respond({ success: false, message: 'no', code: 'x' })).toBeUndefined()
  expect(respond({ success: false, message: 'no', code: 'x' }, 429)).toBeUndefined()
  expect(respond({ success: false, message: 'no' }, 429)).toContain('code')
  expect(respond({ success: false, message: 'no', code: 'x' }, 418)).toContain('418')
  expect(respond({ success: true, message: '', data: { id: 'seven' } })).toContain('data.id')
})

test('keeps the ledger balanced after all these requests', async () => {
  const { drift, findings } = await auditLedger(app.db)
  expect({ drift, findings }).toEqual({ drift: 0, findings: [] })
})
