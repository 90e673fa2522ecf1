import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Glob } from 'bun'
import type { AnyEndpoint } from '#contract/endpoint.ts'
import { ROLE, type Role, USER_STATUS } from '#contract/enums.ts'
import { KIB, MIB } from '../core/limits.ts'
import { createLocalRateLimiter } from '../core/rate-limit.ts'
import { openTestApp, type TestApp } from '../testing/open-test-app.ts'
import type { TestClient } from '../testing/test-client.ts'
import { clientNetwork } from './client-address.ts'

/** Calls from this machine have no limits. */
const ELSEWHERE = '198.51.100.7'
const PIECE = new TextEncoder().encode('x'.repeat(4 * KIB))
/** Far above every limit. */
const PIECES_MAX = (40 * MIB) / PIECE.byteLength
/** The first one, and the one beyond the limit. */
const PIECES_AROUND = 2 * PIECE.byteLength
/** Enough to sign in. */
const SMALL_MEMORY_BYTES = 8 * KIB
/** A bucket that is empty for longer than a budget's window is spent for some time whatever a call costs. */
const SPENT_MS = 110_000

const BODY_BYTES_MAX: Readonly<Record<Role, number>> = {
  visitor: 16 * KIB,
  user: 256 * KIB,
  admin: 2 * MIB,
  root: 2 * MIB,
}
/** Files of administrators. */
const LARGER_BODIES: readonly string[] = [
  'POST /api/price_update/read',
  'POST /api/reconciliation/',
  'POST /api/reprice/',
]
const LARGER_BYTES_MAX = 16 * MIB
const PLAIN_BODY_BYTES_MAX = 16 * KIB
/** Paths that read no body. */
const PAGES = [
  '/',
  '/token',
  '/docs',
  '/assets/none.js',
  '/healthz',
  '/readyz',
  '/metrics',
  '/api/none',
  '/none',
]

/** What repeats in the background, and the constant that bounds a turn of it; none: its work does not grow with what users do. */
const JOBS: Readonly<Record<string, string>> = {
  'features/audit-log/server/retention.ts': 'BATCH_ROWS',
  'features/backups/server/backups.ts': '',
  'features/budgets/server/maintenance.ts': 'ROWS_AT_ONCE',
  'features/budgets/server/warnings.ts': 'PENDING_MAX',
  'features/organizations/server/index.ts': 'ENDED_AT_ONCE',
  'features/plans/server/renewals.ts': 'SUBSCRIPTIONS_AT_ONCE',
  'features/channel-health/server/index.ts': '',
  'features/charge-journal/server/recover-charges.ts': 'CLOSED_AT_ONCE',
  'features/child-tokens/server/index.ts': 'ENDED_AT_ONCE',
  'features/doctor/server/standby/watch-standbys.ts': '',
  'features/doctor/server/watch-disk.ts': '',
  'features/logs/server/index.ts': 'SAMPLES_MAX',
  'features/low-balance/server/low-balance.ts': 'BATCH_USERS_MAX',
  'features/price-updates/server/daily-job.ts': 'ROWS_MAX',
  'features/shared-limits/server/watch-store.ts': '',
  'features/stored-responses/server/background/background-run.ts': 'RUNS_MAX',
  'features/tags/server/index.ts': 'ROWS_AT_ONCE',
  'features/token-addresses/server/address-book.ts': 'PENDING_MAX',
  'features/top-ups/server/reconcile.ts': 'ORDERS_QUERIED_MAX',
  'features/trace-export/server/trace-exporter.ts': 'QUEUE_SPANS_MAX',
  'features/usage-alarm/server/spikes.ts': 'SPIKES_MAX',
  'server/db/engine/cached-value.ts': '',
  'server/db/engine/change-notifications.ts': '',
  'server/db/engine/postgres-dialect.ts': '',
  'server/db/engine/write-back.ts': '',
  'server/db/system/postgres-rate-limiter.ts': '',
  'server/jobs/analytics.ts': 'EARLIER_ROWS_AT_ONCE',
  'server/jobs/log-maintenance.ts': 'ROWS_READ_AT_ONCE',
  'server/jobs/recover-holds.ts': 'HOLDS_PER_BATCH',
  'server/relay/admission/open-calls.ts': 'BATCH_ROWS_MAX',
  'server/relay/response/response-body.ts': '',
  'server/relay/tasks/polling.ts': 'CLAIMED_MAX',
}

/** A JSON text without an end, and how much of it was read. */
function endlessBody() {
  let pieces = 0
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        controller.enqueue(pieces === 0 ? new TextEncoder().encode('{"name":"') : PIECE)
        pieces += 1
        if (pieces > PIECES_MAX) controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, readBytes: () => pieces * PIECE.byteLength }
}

/** The status of a call with such a body, and how much was read of it. */
async function send(client: TestClient, method: string, path: string, address = ELSEWHERE) {
  const { stream, readBytes } = endlessBody()
  const response = await client.fetch(path, { method, body: stream }, address)
  await response.body?.cancel()
  return { status: response.status, bytes: readBytes() }
}

const pathOf = ({ path }: AnyEndpoint): string => path.replace(/:\w+/g, '999999')
const nameOf = ({ method, path }: AnyEndpoint): string => `${method} ${path}`

const rateLimiter = createLocalRateLimiter()
let app: TestApp
/** Has hardly any memory for bodies. */
let full: TestApp
let members = 0

beforeAll(async () => {
  app = await openTestApp({ parts: { rateLimiter } })
  full = await openTestApp({ parts: { bodyMemoryBytes: SMALL_MEMORY_BYTES } })
  for (const { root } of [app, full]) await root.fetch('/api/option/', switchOn('DeviceSignInEnabled'))
})
afterAll(async () => {
  await app.close()
  await full.close()
})

const switchOn = (key: string): RequestInit => ({
  method: 'PUT',
  body: JSON.stringify({ key, value: 'true' }),
})

const endpointsWithBody = (): readonly AnyEndpoint[] =>
  app.routes.map(route => route.endpoint).filter(({ method }) => method !== 'GET')

function addMember(role: Role, { visitor, addUser }: TestApp = app): Promise<TestClient> {
  members += 1
  return role === 'visitor' ? Promise.resolve(visitor) : addUser({ username: `member-${members}`, role })
}

/** Each caller is called from an address of its own, so that visitors have no budget in common. */
async function spendBudget({ id }: TestClient): Promise<string> {
  members += 1
  const address = `203.0.113.${members % 250}`
  const [name, subject] = id === 0 ? ['visits', clientNetwork(address)] : ['calls', `user ${id}`]
  await rateLimiter.spend({ name, points: 1, windowMs: SPENT_MS }, subject, 1)
  return address
}

describe('every endpoint of the management API', () => {
  test('reads nothing of callers who may not call it', async () => {
    const banned = await addMember('root')
    const { db } = app
    await db.updateTable('users').set({ status: USER_STATUS.banned }).where('id', '=', banned.id).execute()
    const plain = await addMember('user')
    for (const endpoint of endpointsWithBody().filter(({ role }) => role !== 'visitor'))
      for (const caller of [app.visitor, banned, ...(ROLE[endpoint.role] > ROLE.user ? [plain] : [])]) {
        const { bytes } = await send(caller, endpoint.method, pathOf(endpoint))
        expect([nameOf(endpoint), bytes]).toEqual([nameOf(endpoint), 0])
      }
  })

  test('reads at most what callers of its role may send', async () => {
    const larger: string[] = []
    for (const endpoint of endpointsWithBody()) {
      const { bytes } = await send(await addMember(endpoint.role), endpoint.method, pathOf(endpoint))
      if (bytes > BODY_BYTES_MAX[endpoint.role] + PIECES_AROUND) larger.push(nameOf(endpoint))
      expect(bytes).toBeLessThanOrEqual(LARGER_BYTES_MAX + PIECES_AROUND)
    }
    expect(larger).toEqual([...LARGER_BODIES])
  })

  test('reads nothing of callers whose budget is spent', async () => {
    const free: string[] = []
    for (const endpoint of endpointsWithBody()) {
      const caller = await addMember(endpoint.role)
      const address = await spendBudget(caller)
      const { status, bytes } = await send(caller, endpoint.method, pathOf(endpoint), address)
      if (status !== 429 || bytes > 0) free.push(nameOf(endpoint))
    }
    expect(free).toEqual([])
  })
})

test('every body is taken from the memory that all share', async () => {
  const calls = endpointsWithBody().map(
    endpoint => [nameOf(endpoint), endpoint.role, pathOf(endpoint)] as const,
  )
  const plain = full.plainRoutes.map(({ path }) => [`POST ${path}`, 'visitor', path] as const)
  for (const [name, role, path] of [...calls, ...plain]) {
    const { bytes } = await send(await addMember(role, full), name.split(' ')[0] ?? '', path)
    expect([name, bytes <= SMALL_MEMORY_BYTES + PIECES_AROUND]).toEqual([name, true])
  }
})

test('no path beside the management API and the relay reads more of a visitor than a form has', async () => {
  expect(app.plainRoutes.length).toBeGreaterThan(4)
  for (const { method = 'POST', path } of app.plainRoutes) {
    const { bytes } = await send(app.visitor, method === 'GET' ? 'POST' : method, path)
    expect([path, bytes <= PLAIN_BODY_BYTES_MAX + PIECES_AROUND]).toEqual([path, true])
  }
  for (const path of PAGES) expect([path, (await send(app.visitor, 'POST', path)).bytes]).toEqual([path, 0])
})

test('whatever repeats in the background is bounded by a constant, or does not grow with what users do', async () => {
  const files = ['server', 'features'].flatMap(root => [...new Glob(`${root}/**/*.ts`).scanSync()])
  const texts = await Promise.all(
    files
      .filter(file => !file.includes('.test.'))
      .map(async file => ({ file, text: await Bun.file(file).text() })),
  )
  const repeating = texts.filter(
    ({ file, text }) =>
      /\b(everyMs|repeatAfterMs|setInterval)\(/.test(text) && file !== 'server/core/clock.ts',
  )
  expect(repeating.map(({ file }) => file).toSorted()).toEqual(Object.keys(JOBS).toSorted())
  const bounds = Object.values(JOBS).filter(bound => bound !== '')
  expect(bounds.filter(bound => !texts.some(({ text }) => text.includes(`const ${bound} = `)))).toEqual([])
})
