import { createBudget } from '#features/budgets/contract.ts'
import { verifyBudgets } from '#features/budgets/server/verify.ts'
import { verifyPlans } from '#features/plans/server/verify.ts'
import { createRedemptions } from '#features/redemption-codes/contract.ts'
import { listHoldProcessIds } from '#server/db/billing/holds.ts'
import { auditLedger } from '#server/ledger/audit.ts'
import { addUser } from '../../harness/add-user.ts'
import { type AdminClient, resume } from '../../harness/api-client.ts'
import { inDatabase } from '../../harness/in-database.ts'
import { addLabChannel, addToken } from '../../harness/lab-channel.ts'
import { setOptions } from '../../harness/set-options.ts'
import { type RunningGateway, startGateway } from '../../harness/start-gateway.ts'
import type { Lab } from '../../harness/start-lab.ts'
import { makeTemporaryFolder } from '../../harness/temporary-folder.ts'
import { addMemberKey, addSubscriberKey } from './crash-payers.ts'
import { CRASH_PLAN_VARIABLE, type CrashPlan } from './crash-plan.ts'

export const MODEL = 'killed'
/** Served by a provider without the Responses API, so that the gateway assigns the ids of responses. */
export const TURN_MODEL = 'killed-in-turn'
export const PAYMENT = { id: '1001', key: 'key-of-the-merchant' } as const
/** Output tokens that the first hold of a stream covers. */
export const INITIAL_HOLD_TOKENS = 8
const CRASH_HOOK = Bun.fileURLToPath(new URL('./crash-hook.ts', import.meta.url))
const CONSUMPTION_LOG = 2
const DOLLAR = 500_000

/** State of the ledger while no request is active. */
export interface LedgerSnapshot {
  readonly drift: number
  /** Charges without a log row. */
  readonly unlogged: number
  /** Ids of processes with open holds. Holds of tasks do not count. */
  readonly holdingProcesses: readonly string[]
  /** Request ids of the charged chats after `fromLogId`, one per log row. */
  readonly chargedRequestIds: readonly string[]
  readonly lastLogId: number
}

/** A database with prices, channels, a user, an organisation and a subscriber, on which gateways are started and killed. */
export interface CrashEnvironment {
  readonly lab: Lab
  /** Namespace of the lab, which counts the calls of these gateways separately. */
  readonly namespace: string
  readonly dataDir: string
  /** Absent for SQLite in the data folder. */
  readonly databaseUrl?: string
  /** Key of the user's token, without the prefix `sk-`. */
  readonly key: string
  /** That, one of a member of an organisation and one of a subscriber: requests take any. */
  readonly keys: readonly [string, ...string[]]
  startGateway(plan?: CrashPlan): Promise<RunningGateway>
  asUser(gateway: RunningGateway): AdminClient
  asRoot(gateway: RunningGateway): AdminClient
  /** Creates an unused redemption code. */
  createRedemptionCode(gateway: RunningGateway, quota: number): Promise<string>
  readLedger(fromLogId: number): Promise<LedgerSnapshot>
  remove(): void
}

/** `databaseUrl` names an empty PostgreSQL database. Absent: a new SQLite database. */
export async function createCrashEnvironment(
  lab: Lab,
  namespace: string,
  databaseUrl?: string,
): Promise<CrashEnvironment> {
  const folder = makeTemporaryFolder()
  const store = { dataDir: folder.path, ...(databaseUrl && { databaseUrl }) }
  const shared = databaseUrl ? { DATABASE_URL: databaseUrl, WORKERS: '1' } : {}
  const start = (plan?: CrashPlan): Promise<RunningGateway> => {
    const { environment, ...preloaded } = crashOptions(plan)
    return startGateway({ dataDir: folder.path, ...preloaded, environment: { ...shared, ...environment } })
  }
  await using gateway = await start()
  const root = await gateway.signInAsRoot()
  await setOptions(root, {
    ModelRatio: { [MODEL]: 3, [TURN_MODEL]: 3 },
    ModelPrice: { mj_imagine: 0.002 },
    PreConsumedQuota: INITIAL_HOLD_TOKENS,
    ModelOutputLimit: { [MODEL]: INITIAL_HOLD_TOKENS },
    ServerAddress: gateway.url,
    PayAddress: gateway.url,
    EpayId: PAYMENT.id,
    EpayKey: PAYMENT.key,
    MinTopUp: 1,
    OrganizationCreators: 'everybody',
  })
  await addLabChannel(root, lab, { provider: 'openai', models: [MODEL], namespace })
  await addLabChannel(root, lab, { provider: 'anthropic', models: [TURN_MODEL], namespace })
  await addLabChannel(root, lab, {
    provider: 'drawing',
    models: ['mj_imagine'],
    namespace: `${namespace}-tasks`,
  })
  const user = await addUser(gateway, { username: 'anna', wallet: 1000 * DOLLAR })
  const { id: subject_id, key } = await addToken(user, { unlimited_quota: false, remain_quota: 900 * DOLLAR })
  await user.call(createBudget, { body: { subject: 'token', subject_id, amount: 800 * DOLLAR } })
  const rolling = { unit: 'tokens', period: 'rolling', hours: 5 } as const
  await user.call(createBudget, { body: { subject: 'token', subject_id, amount: 1_000_000_000, ...rolling } })
  const payers = { gateway, root }
  return {
    lab,
    namespace,
    ...store,
    key,
    keys: [key, await addMemberKey(payers), await addSubscriberKey(payers)],
    startGateway: start,
    asUser: ({ url }) => resume(url, user),
    asRoot: ({ url }) => resume(url, root),
    async createRedemptionCode({ url }, quota) {
      const [code] = await resume(url, root).call(createRedemptions, {
        body: { name: 'crash', quota, count: 1 },
      })
      if (!code) throw new Error('expected a code, found none')
      return code
    },
    readLedger: fromLogId => readLedger(store, fromLogId),
    remove: folder.remove,
  }
}

/** Options of a program that kills itself as planned. */
export const crashOptions = (plan: CrashPlan | undefined) =>
  plan ? { preload: CRASH_HOOK, environment: { [CRASH_PLAN_VARIABLE]: JSON.stringify(plan) } } : {}

const readLedger = (
  store: Pick<CrashEnvironment, 'dataDir' | 'databaseUrl'>,
  fromLogId: number,
): Promise<LedgerSnapshot> =>
  inDatabase(store, async db => {
    const { drift, counts } = await auditLedger(db)
    const budgets = await verifyBudgets(db)
    const plans = await verifyPlans(db)
    const rows = await db
      .selectFrom('logs')
      .select(['id', 'request_id', 'type', 'model_name'])
      .where('id', '>', fromLogId)
      .orderBy('id')
      .execute()
    return {
      drift: drift + budgets.drift + plans.drift,
      unlogged: counts.unloggedCharges,
      holdingProcesses: await listHoldProcessIds(db),
      chargedRequestIds: rows
        .filter(row => row.type === CONSUMPTION_LOG && [MODEL, TURN_MODEL].includes(row.model_name))
        .map(row => row.request_id),
      lastLogId: rows.at(-1)?.id ?? fromLogId,
    }
  })
