import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type ChatAnswer, isWholeStream } from '../harness/call-chat.ts'
import { openPostgres, type PostgresDatabase } from '../harness/open-postgres.ts'
import { type Gateway, startGateway } from '../harness/start-gateway.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { LAB, openStage, PRICE, type Stage } from './open-stage.ts'

const CLIENTS = 16
const WAIT_MS_MAX = 30_000
/** Between two steps, so that each happens under load. */
const ANSWERS_BETWEEN = 40
/** Reset: the connection still waited to be taken when the listener closed. Was it taken after all, the books would tell. */
const REFUSED = /ECONNREFUSED|ConnectionRefused|ECONNRESET/

let database: PostgresDatabase
let stage: Stage
let environment: Readonly<Record<string, string>>
const gateways: Gateway[] = []
const answers: ChatAnswer[] = []

beforeAll(async () => {
  database = await openPostgres()
  environment = { DATABASE_URL: database.url, WORKERS: '1', SECRET_KEY: 'the secret key of two gateways' }
  stage = await openStage({ environment })
  gateways.push(stage.site.gateway, await startGateway({ environment }))
})
afterAll(async () => {
  await Promise.all(gateways.map(gateway => gateway.stop()))
  await stage?.stop()
  await database?.stop()
})

const untilMoreAnswers = () => {
  const wanted = answers.length + ANSWERS_BETWEEN
  return waitUntil({ what: 'more answers', timeoutMs: WAIT_MS_MAX }, () => answers.length >= wanted)
}

/** Calls in turn, as a balancer does: who takes no connection is passed over. Anything else that goes wrong is a loss. */
async function callUntil(stopping: AbortSignal, index: number): Promise<void> {
  for (let call = index; !stopping.aborted; call += 1) {
    const turn = gateways.map((_, offset) => gateways[(call + offset) % gateways.length])
    for (const gateway of turn) {
      const answer = gateway && (await askUnlessRefused(gateway, call % 2 === 0))
      if (!answer) continue
      answers.push(answer)
      break
    }
  }
}

async function askUnlessRefused(gateway: Gateway, isStream: boolean): Promise<ChatAnswer | undefined> {
  try {
    return await stage.ask(LAB, { gateway, isStream, script: 'pace-3+tokens-10' })
  } catch (error) {
    if (REFUSED.test(String(error))) return undefined
    throw error
  }
}

test('when two processes are restarted in turn under load no request is lost, and each is charged once', async () => {
  const before = await stage.charged()
  const stopping = new AbortController()
  const clients = Array.from({ length: CLIENTS }, (_, index) => callUntil(stopping.signal, index))
  for (const [index, old] of gateways.entries()) {
    await untilMoreAnswers()
    expect(await old.stop()).toBe(0)
    await untilMoreAnswers()
    gateways[index] = await startGateway({ environment, port: Number(new URL(old.url).port) })
  }
  await untilMoreAnswers()
  stopping.abort()
  await Promise.all(clients)
  const lost = answers.filter(answer => answer.status !== 200 || !isServed(answer))
  expect(lost).toEqual([])
  expect(await stage.charged()).toBe(before + answers.length * PRICE)
  await stage.expectSoundBooks()
})

const isServed = (answer: ChatAnswer): boolean =>
  answer.text.startsWith('data: ') ? isWholeStream(answer) : JSON.parse(answer.text).choices.length === 1
