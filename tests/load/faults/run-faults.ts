import { elapsedMs, nowSeconds } from '#server/core/clock.ts'
import { countAllRequests } from '#server/db/usage/count-requests.ts'
import { isCompleteStream, openChat, requestIdOf } from '../../harness/call-chat.ts'
import { inDatabase } from '../../harness/in-database.ts'
import { addLabChannel, addToken } from '../../harness/lab-channel.ts'
import { setScenario } from '../../harness/lab-namespace.ts'
import { type Random, seededRandom } from '../../harness/random.ts'
import { setOptions } from '../../harness/set-options.ts'
import { type Site, startSite } from '../../harness/start-site.ts'
import { makeTemporaryFolder } from '../../harness/temporary-folder.ts'
import { verifyLedger } from '../../harness/verify-ledger.ts'
import { type Audit, type End, openAudit, type TokenCosts } from './audit.ts'
import { CHANNEL_FAULTS, type FaultShare, optionOf } from './fault-mix.ts'

interface FaultLoad {
  readonly requests: number
  readonly clients: number
  readonly seed: number
  /** Called regularly with the number of sent requests. */
  readonly onProgress?: (sent: number) => void
}

export interface FaultResult {
  readonly audit: Audit
  readonly ends: Readonly<Record<End, number>>
  /** Requests without any response. */
  readonly pending: number
  readonly drift: number
  readonly openHolds: number
  /** Cost in the roll-ups without a receipt, in billionths of a dollar. */
  readonly costDrift: number
  readonly seconds: number
  readonly seed: number
}

const MODEL = 'faulty'
/** So cheap that root's first balance pays for a million requests. Unaffordable requests would have no row. */
const PRICE = { ModelRatio: { [MODEL]: 0.2 }, CompletionRatio: { [MODEL]: 3 } }
/** Dollars per million tokens that the channels pay: three quarters of what requests are charged. */
const PURCHASE = { input: 0.3, output: 0.9 }
const COSTS: TokenCosts = { input: PURCHASE.input * 1000, output: PURCHASE.output * 1000 }
const LAB_NAMESPACES = ['first', 'second', 'third', 'fourth'] as const
/** Requests between two reads of the log, with a channel failure or recovery at each. */
const CHANGE_EVERY = 2_000

/** Sends requests under faults of every kind and compares each with its log row. */
export async function runFaults(load: FaultLoad): Promise<FaultResult> {
  const folder = makeTemporaryFolder()
  const dataDir = folder.path
  const site = await startSite({ dataDir })
  const key = await prepare(site)
  const random = seededRandom(String(load.seed))
  const audit = openAudit(dataDir, COSTS)
  const ends = { served: 0, rejected: 0, broken: 0 }
  let sent = 0
  let pending = 0
  const client = async (): Promise<void> => {
    while (sent < load.requests) {
      sent += 1
      if (sent % CHANGE_EVERY === 0) {
        await Promise.all([audit.readRows(), changeChannel(site, random)])
        load.onProgress?.(sent)
      }
      const response = await ask(site.gateway.url, key, optionOf(random))
      if (!response) pending += 1
      else {
        ends[response.end] += 1
        audit.note(response.id, response.end)
      }
    }
  }
  const startedMs = elapsedMs()
  await Promise.all(Array.from({ length: load.clients }, client))
  const seconds = (elapsedMs() - startedMs) / 1000
  await site.stop()
  await audit.readRows()
  const { drift, openHolds } = await verifyLedger({ DATA_DIR: dataDir })
  const costDrift = (await sumRolledUpCosts(dataDir)) - audit.costNanos()
  folder.remove()
  return { audit: audit.read(), ends, pending, drift, openHolds, costDrift, seconds, seed: load.seed }
}

/** Rolls up what is not rolled up yet and returns the cost of all requests in billionths of a dollar. */
const sumRolledUpCosts = (dataDir: string): Promise<number> =>
  inDatabase({ dataDir }, async db => {
    await countAllRequests({ db, engine: 'sqlite', reader: db }, nowSeconds())
    const { cost } = await db
      .selectFrom('analytics_minutes')
      .select(({ fn }) => fn.sum<number>('cost_nanos').as('cost'))
      .executeTakeFirstOrThrow()
    return Number(cost)
  })

async function prepare({ root, lab }: Site): Promise<string> {
  await setOptions(root, { ...PRICE, RetryTimes: LAB_NAMESPACES.length - 1, FailedRequestRateLimit: 0 })
  for (const namespace of LAB_NAMESPACES)
    await addLabChannel(root, lab, {
      provider: 'openai',
      models: [MODEL],
      name: namespace,
      namespace,
      draft: { setting: JSON.stringify({ purchase_prices: { [MODEL]: PURCHASE } }) },
    })
  return (await addToken(root)).key
}

/** The last channel always stays healthy. */
const changeChannel = ({ lab }: Site, random: Random) =>
  setScenario(
    lab,
    LAB_NAMESPACES[random.integer(0, LAB_NAMESPACES.length - 2)] ?? LAB_NAMESPACES[0],
    random.pick(CHANNEL_FAULTS),
  )

/** Returns undefined without a response. */
async function ask(url: string, key: string, { isStream, script, isLeft }: FaultShare) {
  const leaving = new AbortController()
  const content = script === '' ? 'hello' : `hello [lab: ${script}]`
  const body = { model: MODEL, stream: isStream, messages: [{ role: 'user', content }] }
  try {
    const response = await openChat({ url, key, body, signal: leaving.signal })
    const id = requestIdOf(response)
    if (isLeft && response.status === 200) return { id, end: await leave(response, leaving) }
    const text = await response.text()
    return { id, end: endOf({ status: response.status, requestId: id, text }, isStream) }
  } catch {
    return undefined
  }
}

async function leave({ body }: Response, leaving: AbortController): Promise<End> {
  await body?.getReader().read()
  leaving.abort()
  return 'broken'
}

function endOf(response: Parameters<typeof isCompleteStream>[0], isStream: boolean): End {
  if (response.status !== 200) return 'rejected'
  const isJson = isStream ? isCompleteStream(response) : response.text.includes('"choices"')
  return isJson ? 'served' : 'broken'
}
