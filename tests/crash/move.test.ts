import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createFaultSetup, type FaultSetup, LAB, PRICE } from '../faults/fault-setup.ts'
import { openPostgres, type PostgresDatabase } from '../harness/open-postgres.ts'
import { runTollgate, startProgram } from '../harness/program.ts'
import { makeTemporaryFolder } from '../harness/temporary-folder.ts'
import { verifyLedger } from '../harness/verify-ledger.ts'
import { CRASH_PLAN_VARIABLE, type DatabaseTrigger } from './points/crash-plan.ts'

const CRASH_HOOK = join(import.meta.dir, 'points', 'crash-hook.ts')
const EXIT_KILLED = 128 + 9
const SECRET_KEY = 'the secret key of a gateway that moves'
const CALLS = 5
const CALLS_CHARGED = CALLS * PRICE
/** The program starts nine times. */
const TEST_MS_MAX = 120_000

/** In the order of the move. */
const KILLS: readonly DatabaseTrigger[] = [
  { kind: 'database', when: 'after', statement: 'create table users' },
  { kind: 'database', when: 'after', statement: 'insert into users' },
  { kind: 'database', when: 'before', statement: 'commit', within: 'insert into users' },
]

let database: PostgresDatabase
let stage: FaultSetup
const folder = makeTemporaryFolder()

beforeAll(async () => {
  database = await openPostgres()
  stage = await createFaultSetup({ dataDir: folder.path, environment: { SECRET_KEY } })
})
afterAll(async () => {
  await stage?.stop()
  await database?.stop()
  folder.remove()
})

test(
  'a move is refused while a gateway serves, and after kills at any step the next run completes it',
  async () => {
    const embedded = { DATA_DIR: folder.path, SECRET_KEY }
    const server = { ...embedded, DATABASE_URL: database.url }
    const args = ['move', '--to', database.url]
    for (let call = 0; call < CALLS; call += 1) expect((await stage.ask(LAB)).status).toBe(200)
    expect(await stage.charged()).toBe(CALLS_CHARGED)
    expect(await runTollgate(args, embedded)).toMatchObject({
      code: 1,
      output: expect.stringContaining('another Tollgate already serves from'),
    })
    await stage.site.gateway.stop()

    for (const trigger of KILLS) {
      const plan = JSON.stringify({ trigger, count: 1, isArmedFromStart: true })
      const environment = { ...embedded, [CRASH_PLAN_VARIABLE]: plan }
      const killed = startProgram(args, environment, { preload: CRASH_HOOK })
      expect([trigger, await killed.ended]).toEqual([trigger, EXIT_KILLED])
    }
    expect(await runTollgate(args, embedded)).toMatchObject({
      code: 0,
      output: expect.stringContaining('The books balance on both sides.'),
    })

    const balanced = { code: 0, drift: 0, openHolds: 0 }
    expect(await verifyLedger(embedded)).toMatchObject(balanced)
    expect(await verifyLedger(server)).toMatchObject(balanced)
    expect(await runTollgate(args, embedded)).toMatchObject({
      code: 1,
      output: expect.stringContaining('the database to move to is not empty'),
    })
  },
  TEST_MS_MAX,
)
