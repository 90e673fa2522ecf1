import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createFaultSetup, type FaultSetup, LAB, PRICE } from '../faults/fault-setup.ts'
import type { ChatResult } from '../harness/call-chat.ts'
import { openPostgres, type PostgresDatabase } from '../harness/open-postgres.ts'
import { runTollgate, startProgram } from '../harness/program.ts'
import { verifyLedger } from '../harness/verify-ledger.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { CRASH_PLAN_VARIABLE, type DatabaseTrigger } from './points/crash-plan.ts'

const CRASH_HOOK = join(import.meta.dir, 'points', 'crash-hook.ts')
const EXIT_KILLED = 128 + 9
const SECRET_KEY = 'the secret key of a gateway that moves'
const CLIENTS = 4
const CALLS_AFTER_KILL = 8
const WAIT_MS_MAX = 60_000
/** Only ends a test that hangs: a busy machine takes several times as long as a quiet one. */
const TEST_MS_MAX = 400_000

/** In the order of the move, which each kill interrupts and the next run goes on with. The last one comes after the switch. */
const KILLS: readonly DatabaseTrigger[] = [
  { kind: 'database', when: 'before', statement: 'commit', within: 'create table move_changes' },
  { kind: 'database', when: 'after', statement: 'commit', within: 'create table move_changes' },
  { kind: 'database', when: 'after', statement: 'insert into users' },
  { kind: 'database', when: 'before', statement: 'delete from move_changes' },
  { kind: 'database', when: 'after', statement: 'update moves set phase' },
  { kind: 'database', when: 'after', statement: 'create trigger reject_insert_users' },
  { kind: 'database', when: 'before', statement: 'commit', within: 'create trigger reject' },
  { kind: 'database', when: 'after', statement: 'commit', within: 'create trigger reject' },
]

let database: PostgresDatabase
let stage: FaultSetup

beforeAll(async () => {
  database = await openPostgres()
  stage = await createFaultSetup({ environment: { SECRET_KEY } })
})
afterAll(async () => {
  await stage?.stop()
  await database?.stop()
})

test(
  'a move that is killed at any step leaves one database that serves, and the next run goes on',
  async () => {
    const environment = { DATA_DIR: stage.site.gateway.dataDir, SECRET_KEY }
    const args = ['move', '--to', database.url]
    const before = await stage.charged()
    const responses: ChatResult[] = []
    const stopping = new AbortController()
    const clients = Array.from({ length: CLIENTS }, async () => {
      while (!stopping.signal.aborted)
        responses.push(await stage.ask(LAB, { script: 'pace-20+tokens-4', isStream: true }))
    })

    for (const trigger of KILLS) {
      const plan = JSON.stringify({ trigger, count: 1, isArmedFromStart: true })
      const killed = startProgram(
        args,
        { ...environment, [CRASH_PLAN_VARIABLE]: plan },
        { preload: CRASH_HOOK },
      )
      expect([trigger, await killed.ended]).toEqual([trigger, EXIT_KILLED])
      const served = responses.length + CALLS_AFTER_KILL
      await waitUntil(
        { description: 'answers after the kill', timeoutMs: WAIT_MS_MAX },
        () => responses.length >= served,
      )
    }
    expect(await runTollgate(args, environment)).toMatchObject({ code: 0 })
    stopping.abort()
    await Promise.all(clients)

    expect(responses.filter(({ status }) => status !== 200)).toEqual([])
    expect(await stage.charged()).toBe(before + responses.length * PRICE)
    const moved = { ...environment, DATABASE_URL: database.url }
    expect(await verifyLedger(moved)).toMatchObject({ code: 0, drift: 0, openHolds: 0 })
    expect(await verifyLedger(environment)).toMatchObject({ code: 0, drift: 0 })
  },
  TEST_MS_MAX,
)
