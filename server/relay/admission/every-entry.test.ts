import { afterEach, beforeEach, expect, test } from 'bun:test'
import { Glob } from 'bun'
import { ROLE } from '#contract/enums.ts'
import { examplePath } from '../../testing/example-path.ts'
import { connectionFor } from '../../testing/test-connection.ts'
import { TestRelay } from '../../testing/test-relay.ts'
import { relay as relayRequest } from '../pipeline.ts'
import { type RelayRoute, ROUTES } from '../routes/routes.ts'

/** Pages that anyone may call. */
const PUBLIC = ['GET /mj/image/1', 'POST /mj/notify']

let relay: TestRelay
let token: string

beforeEach(async () => {
  relay = await TestRelay.open({ wallet: 0 })
  token = await relay.addToken()
  await relay.addChannel()
})
afterEach(() => relay.close())

const nameOf = (route: RelayRoute): string => `${route.method} ${examplePath(route)}`

async function call(route: RelayRoute) {
  const { method, auth } = route
  const headers = auth === 'session' ? {} : { authorization: `Bearer sk-${token}` }
  const request = new Request(`http://gateway.test${examplePath(route)}`, { method, headers })
  const session = { group: 'default', walletUnits: 0, sessionHash: 'hash' }
  const user = { id: relay.userId, username: 'u', role: ROLE.user, ...session }
  const connection = { ...connectionFor(request, '{'), session: async () => user }
  const response = await relayRequest(request, connection, relay.context)
  return { status: response.status, text: await response.text() }
}

const listRoutes = () => [...ROUTES, ...relay.context.paths]

test('every path refuses a banned user before it reads anything', async () => {
  await relay.db.updateTable('users').set({ status: 2 }).execute()
  for (const route of listRoutes().filter(({ auth }) => auth === 'token')) {
    const { text } = await call(route)
    expect([nameOf(route), text.includes('the owner of the token is banned')]).toEqual([nameOf(route), true])
  }
})

test('every path refuses an empty wallet before it reads anything, or has a budget of processor time', async () => {
  relay.context.processorBudget.spend({ userId: relay.userId, walletUnits: 0 }, 10_000)
  const open: string[] = []
  for (const route of listRoutes()) {
    const { text } = await call(route)
    if (!/the account has \$0\.000000 left|too much processor time/.test(text)) open.push(nameOf(route))
  }
  expect(open).toEqual([...PUBLIC])
})

/** The files of the program, without the lab, in which a pattern occurs. */
async function listFilesWith(pattern: RegExp): Promise<readonly string[]> {
  const files = ['server', 'features'].flatMap(root => [...new Glob(`${root}/**/*.ts`).scanSync()])
  const found = await Promise.all(
    files
      .filter(file => !/\.test\.|\/(lab|testing)\//.test(file))
      .map(async file => (pattern.test(await Bun.file(file).text()) ? [file] : [])),
  )
  return found.flat().toSorted()
}

test('no other socket takes frames than those whose frames are admitted', async () => {
  expect(await listFilesWith(/switchToSocket\(|upgradeToWebSocket\(|\.upgrade\(/)).toEqual([
    'features/response-sockets/server/open-response-socket.ts',
    'server/http/relay-handler.ts',
    'server/http/websockets.ts',
    'server/relay/request/client-connection.ts',
    'server/relay/response/respond.ts',
  ])
})

test('no other body goes on for a caller than those that end with the access of the caller', async () => {
  expect(await listFilesWith(/new (Readable|Transform|Direct)Stream\b|to(Socket|Readable)Stream\(/)).toEqual([
    'features/audit-log/server/index.ts',
    'features/doctor/server/public-url/echo.ts',
    'features/focus-export/server/export.ts',
    'features/logs/server/export.ts',
    'features/stored-responses/server/background/background-responses.ts',
    'server/http-client/http1/http-call.ts',
    'server/http-client/websocket.ts',
    'server/http/end-with-access.ts',
    'server/relay/response/response-body.ts',
  ])
})
