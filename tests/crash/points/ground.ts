import { createRedemptions } from '#contract/billing/redemptions.ts'
import { listHoldProcessIds } from '../../../server/db/billing/holds.ts'
import { auditLedger } from '../../../server/ledger/audit.ts'
import { addUser } from '../../harness/add-user.ts'
import { type AdminClient, resume } from '../../harness/api-client.ts'
import { inDatabase } from '../../harness/in-database.ts'
import { addLabChannel, addToken } from '../../harness/lab-channel.ts'
import { setOptions } from '../../harness/set-options.ts'
import { type RunningGateway, startGateway } from '../../harness/start-gateway.ts'
import type { Lab } from '../../harness/start-lab.ts'
import { makeTemporaryFolder } from '../../harness/temporary-folder.ts'
import { CRASH_PLAN, type CrashPlan } from './place.ts'

export const MODEL = 'killed'
export const PAYMENT = { id: '1001', key: 'key-of-the-merchant' } as const
/** Output tokens that a stream's hold covers at first. */
export const HELD_TOKENS = 8
const DYING = Bun.fileURLToPath(new URL('./die-at.ts', import.meta.url))
const CONSUMPTION = 2
const DOLLAR = 500_000

/** What the books say while nothing is under way. */
export interface LedgerState {
  readonly drift: number
  /** Charges of which no log row tells. */
  readonly unlogged: number
  /** Processes, all but those of tasks, that hold money. */
  readonly owners: readonly string[]
  /** Request ids of charged chats since `fromLog`, one for each row. */
  readonly charged: readonly string[]
  readonly lastLog: number
}

/** One database on which gateways live and die, one after the other. */
export interface Ground {
  readonly lab: Lab
  /** Of the lab: what these gateways ask is counted apart. */
  readonly lane: string
  readonly dataDir: string
  /** Absent: embedded in the data folder. */
  readonly databaseUrl?: string
  /** Of the user's token. */
  readonly key: string
  start(death?: CrashPlan): Promise<RunningGateway>
  user(gateway: RunningGateway): AdminClient
  root(gateway: RunningGateway): AdminClient
  /** Codes of a worth that nobody has redeemed. */
  makeCode(gateway: RunningGateway, quota: number): Promise<string>
  readLedger(fromLog: number): Promise<LedgerState>
  remove(): void
}

/** `databaseUrl` names an empty database on PostgreSQL, where gateways also live side by side. */
export async function openGround(lab: Lab, lane: string, databaseUrl?: string): Promise<Ground> {
  const folder = makeTemporaryFolder()
  const store = { dataDir: folder.path, ...(databaseUrl && { databaseUrl }) }
  const shared = databaseUrl ? { DATABASE_URL: databaseUrl, WORKERS: '1' } : {}
  const start = (death?: CrashPlan): Promise<RunningGateway> => {
    const { environment, ...preloaded } = dying(death)
    return startGateway({ dataDir: folder.path, ...preloaded, environment: { ...shared, ...environment } })
  }
  await using gateway = await start()
  const root = await gateway.signInAsRoot()
  await setOptions(root, {
    ModelRatio: { [MODEL]: 3 },
    ModelPrice: { mj_imagine: 0.002 },
    PreConsumedQuota: HELD_TOKENS,
    ServerAddress: gateway.url,
    PayAddress: gateway.url,
    EpayId: PAYMENT.id,
    EpayKey: PAYMENT.key,
    MinTopUp: 1,
  })
  await addLabChannel(root, lab, { vendor: 'openai', models: [MODEL], lane })
  await addLabChannel(root, lab, { vendor: 'drawing', models: ['mj_imagine'], lane: `${lane}-tasks` })
  const user = await addUser(gateway, { username: 'anna', wallet: 1000 * DOLLAR })
  const { key } = await addToken(user, { unlimited_quota: false, remain_quota: 900 * DOLLAR })
  return {
    lab,
    lane,
    ...store,
    key,
    start,
    user: ({ url }) => resume(url, user),
    root: ({ url }) => resume(url, root),
    async makeCode({ url }, quota) {
      const [code] = await resume(url, root).call(createRedemptions, {
        body: { name: 'crash', quota, count: 1 },
      })
      if (!code) throw new Error('expected a code, found none')
      return code
    },
    readLedger: fromLog => readLedger(store, fromLog),
    remove: folder.remove,
  }
}

/** What a gateway needs in order to die there. */
export const dying = (death: CrashPlan | undefined) =>
  death ? { preload: DYING, environment: { [CRASH_PLAN]: JSON.stringify(death) } } : {}

const readLedger = (store: Pick<Ground, 'dataDir' | 'databaseUrl'>, fromLog: number): Promise<LedgerState> =>
  inDatabase(store, async db => {
    const { drift, counts } = await auditLedger(db)
    const rows = await db
      .selectFrom('logs')
      .select(['id', 'request_id', 'type', 'model_name'])
      .where('id', '>', fromLog)
      .orderBy('id')
      .execute()
    return {
      drift,
      unlogged: counts.unloggedCharges,
      owners: await listHoldProcessIds(db),
      charged: rows
        .filter(row => row.type === CONSUMPTION && row.model_name === MODEL)
        .map(row => row.request_id),
      lastLog: rows.at(-1)?.id ?? fromLog,
    }
  })
