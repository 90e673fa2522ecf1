import { SQL } from 'bun'
import { elapsedMs } from '#server/core/clock.ts'
import { callChat } from '../tests/harness/call-chat.ts'
import { addLabChannel, addToken } from '../tests/harness/lab-channel.ts'
import { setOptions } from '../tests/harness/set-options.ts'
import { type RunningGateway, respondsOk } from '../tests/harness/start-gateway.ts'
import type { Lab } from '../tests/harness/start-lab.ts'
import { verifyLedger } from '../tests/harness/verify-ledger.ts'
import { waitUntil } from '../tests/harness/wait-until.ts'

const MODEL = 'gpt-4o-mini'
const CLIENTS = 8
const RESPONSES_MS_MAX = 120_000
const RECOVERED_MS_MAX = 120_000
export const SECRET_KEY = 'the secret key of the failover bench'

/** What clients saw, and what was charged for it. */
export interface Comparison {
  /** Complete responses, other statuses, and connections that broke. */
  readonly responses: number
  readonly rejected: number
  readonly broken: number
  readonly charges: number
  /** Complete responses without a charge. */
  readonly lost: number
  /** Requests with more than one charge. */
  readonly doubled: number
  /** Charges whose client saw no complete response. */
  readonly unseen: number
}

export interface Recovered {
  readonly drift: number
  readonly openHolds: number
  readonly recoveredMs: number
}

export async function prepare(gateway: RunningGateway, lab: Lab): Promise<string> {
  const root = await gateway.signInAsRoot()
  await setOptions(root, { ModelRatio: { [MODEL]: 1 } })
  await addLabChannel(root, lab, { provider: 'openai', models: [MODEL] })
  return (await addToken(root)).key
}

export interface ClientResponse {
  readonly requestId: string
  /** 0: the connection broke. */
  readonly status: number
  readonly atMs: number
}

export function startClients({ url }: RunningGateway, key: string) {
  const responses: ClientResponse[] = []
  let isStopped = false
  const body = { model: MODEL, max_tokens: 20, messages: [{ role: 'user', content: 'hello' }] }
  const run = async (): Promise<void> => {
    while (!isStopped) {
      const { status, requestId } = await callChat({ url, key, body }).catch(() => ({
        status: 0,
        requestId: '',
      }))
      responses.push({ requestId, status, atMs: elapsedMs() })
      if (status === 0) await untilReady(url)
    }
  }
  const runs = Array.from({ length: CLIENTS }, run)
  const countComplete = (): number => responses.filter(({ status }) => status === 200).length
  return {
    /** Waits for this many more complete responses. */
    complete(count: number): Promise<boolean> {
      const enough = countComplete() + count
      const wait = { description: `${count} responses`, timeoutMs: RESPONSES_MS_MAX }
      return waitUntil(wait, () => countComplete() >= enough)
    },
    async stop(): Promise<readonly ClientResponse[]> {
      isStopped = true
      await Promise.all(runs)
      return responses
    },
  }
}

const untilReady = (url: string): Promise<boolean> =>
  waitUntil({ description: 'the gateway', timeoutMs: RESPONSES_MS_MAX }, () => respondsOk(`${url}/readyz`))

/** Waits until no hold is open and the books balance, or gives up and returns what is left. */
export async function untilRecovered(environment: Readonly<Record<string, string>>): Promise<Recovered> {
  const startedMs = elapsedMs()
  const look = () => verifyLedger(environment)
  let last = await look()
  await waitUntil({ description: 'the books to balance', timeoutMs: RECOVERED_MS_MAX }, async () => {
    last = await look()
    return last.code === 0 && last.openHolds === 0
  }).catch(() => print(last.output))
  const { drift, openHolds } = last
  return { drift, openHolds, recoveredMs: Math.round(elapsedMs() - startedMs) }
}

export async function readCharges(url: string): Promise<readonly string[]> {
  const server = new SQL({ url, max: 1 })
  try {
    const rows: { request_id: string }[] = await server.unsafe(
      `select request_id from postings where kind = 'charge'`,
    )
    return rows.map(({ request_id }) => request_id)
  } finally {
    await server.close()
  }
}

export function compare(responses: readonly ClientResponse[], charges: readonly string[]): Comparison {
  const complete = responses.filter(({ status }) => status === 200)
  const completeIds = new Set(complete.map(({ requestId }) => requestId))
  const charged = new Set(charges)
  return {
    responses: complete.length,
    rejected: responses.filter(({ status }) => status !== 200 && status !== 0).length,
    broken: responses.filter(({ status }) => status === 0).length,
    charges: charges.length,
    lost: complete.filter(({ requestId }) => !charged.has(requestId)).length,
    doubled: charges.length - charged.size,
    unseen: [...charged].filter(requestId => !completeIds.has(requestId)).length,
  }
}

/** When the first complete response after a moment began to be possible, in milliseconds from then on. */
export const firstResponseMs = (responses: readonly ClientResponse[], sinceMs: number): number =>
  Math.round(
    (responses.find(({ status, atMs }) => status === 200 && atMs > sinceMs)?.atMs ?? Number.NaN) - sinceMs,
  )

export const isDifferent = ({ lost, doubled, drift, openHolds }: Comparison & Recovered): boolean =>
  lost + doubled + drift + openHolds > 0

export const rowOf = (outcome: object | undefined): string =>
  Object.entries(outcome ?? {})
    .map(([name, value]) => `${name} ${value}`)
    .join('  ')

export const print = (line: string): void => void process.stdout.write(`${line}\n`)
