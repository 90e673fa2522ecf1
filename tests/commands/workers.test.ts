import { afterAll, beforeAll, expect, test } from 'bun:test'
import { signIn } from '../harness/api-client.ts'
import { freePort } from '../harness/free-port.ts'
import { addToken } from '../harness/lab-channel.ts'
import { openPostgres, type PostgresDatabase } from '../harness/open-postgres.ts'
import { startProgram } from '../harness/program.ts'
import { respondsOk } from '../harness/start-gateway.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../harness/temporary-folder.ts'
import { waitUntil } from '../harness/wait-until.ts'

const TIMEOUT_MS = 90_000
const ROOT_PASSWORD = 'root-of-the-test'
const SECRET_KEY = 'the key of the first start'

let database: PostgresDatabase
let folder: TemporaryFolder
let port: number

beforeAll(async () => {
  database = await openPostgres()
  folder = makeTemporaryFolder()
  port = await freePort()
  const { stop, hasEnded } = start({})
  await waitUntil({ description: 'readiness', timeoutMs: TIMEOUT_MS }, () => {
    if (hasEnded()) throw new Error('the gateway ended before it was ready')
    return respondsOk(`http://127.0.0.1:${port}/readyz`)
  })
  await addToken(await signIn(`http://127.0.0.1:${port}`, { username: 'root', password: ROOT_PASSWORD }))
  expect(await stop()).toBe(0)
})
afterAll(async () => {
  folder?.remove()
  await database?.stop()
})

const start = (environment: Readonly<Record<string, string>>) =>
  startProgram(['serve'], {
    PORT: String(port),
    HOST: '127.0.0.1',
    DATA_DIR: folder.path,
    DATABASE_URL: database.url,
    WORKERS: '3',
    SECRET_KEY,
    ROOT_PASSWORD,
    ...environment,
  })

const STARTS_THAT_CANNOT_WORK = [
  ['another secret key', { SECRET_KEY: 'the key of another installation' }, /SECRET_KEY/],
  [
    'a database that cannot be reached',
    { DATABASE_URL: 'postgres://a:b@127.0.0.1:1/c' },
    /tollgate serve: .+/,
  ],
  [
    'workers without PostgreSQL',
    { DATABASE_URL: '' },
    /WORKERS is 3, but more than one process needs DATABASE_URL/,
  ],
] as const

test.each(STARTS_THAT_CANNOT_WORK)(
  'several workers end with one sentence and code 1: %s',
  async (_, environment, sentence) => {
    await expectOneSentence(environment, sentence)
  },
)

test('several workers end with one sentence and code 1: a port that is taken', async () => {
  const listener = Bun.listen({ hostname: '127.0.0.1', port, socket: { data: () => undefined } })
  await expectOneSentence({}, /cannot listen on 127\.0\.0\.1:\d+/)
  listener.stop(true)
})

async function expectOneSentence(environment: Readonly<Record<string, string>>, sentence: RegExp) {
  const program = start(environment)
  const code = await Promise.race([program.ended, Bun.sleep(TIMEOUT_MS)])
  if (!program.hasEnded()) await program.stop()
  expect(code).toBe(1)
  expect(program.output()).toMatch(sentence)
  expect(program.output().match(/^tollgate serve: /gm)).toHaveLength(1)
}
