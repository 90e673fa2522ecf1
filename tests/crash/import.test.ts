import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { openDatabase } from '#server/db/engine/database.ts'
import { auditLedger } from '#server/ledger/audit.ts'
import { PROJECT, startProgram } from '../harness/program.ts'
import { makeTemporaryFolder } from '../harness/temporary-folder.ts'
import { CRASH_PLAN_VARIABLE, type DatabaseTrigger } from './points/crash-plan.ts'

const CRASH_HOOK = join(import.meta.dir, 'points', 'crash-hook.ts')
const FIXTURE = join(PROJECT, 'features', 'import', 'server', 'fixtures', 'one-api.sql')
/** More than one batch of users. */
const MANY = 2100
/** The program starts four times. */
const TIMEOUT_MS = 60_000
const EXIT_KILLED = 128 + 9

/** One after another: each import goes on where the one before it was killed. */
const KILLS: readonly (DatabaseTrigger & { readonly count: number })[] = [
  { kind: 'database', when: 'before', statement: 'commit', within: 'insert into users', count: 1 },
  { kind: 'database', when: 'after', statement: 'insert into postings', count: 60 },
  { kind: 'database', when: 'after', statement: 'insert into logs', count: 1 },
]

const Numbers = z.object({ n: z.number() })

const numberIn = (path: string, text: string): number => {
  const file = new Database(path, { readonly: true })
  const { n } = Numbers.parse(file.query(`select (${text}) as n`).get())
  file.close()
  return n
}

test(
  'an import that is killed anywhere leaves whole batches, and the next one brings the rest',
  async () => {
    const folder = makeTemporaryFolder()
    const source = join(folder.path, 'one-api.db')
    const file = new Database(source, { create: true })
    file.exec(`begin; ${readFileSync(FIXTURE, 'utf8')}
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${MANY})
      insert into users (id, username, password, role, status, quota, used_quota, request_count, "group")
      select 10000 + i, 'many' || i, '', 1, 1, i, i, 1, 'default' from n; commit`)
    file.close()
    const environment = { DATA_DIR: join(folder.path, 'data') }
    const target = join(environment.DATA_DIR, 'tollgate.db')
    const start = (plan?: object) =>
      startProgram(
        ['import', source, '--logs', 'all'],
        { ...environment, ...(plan && { [CRASH_PLAN_VARIABLE]: JSON.stringify(plan) }) },
        plan ? { preload: CRASH_HOOK } : {},
      )

    for (const { count, ...trigger } of KILLS) {
      const program = start({ trigger, count, isArmedFromStart: true })
      expect([trigger.statement, await program.ended]).toEqual([trigger.statement, EXIT_KILLED])
      for (const table of ['users', 'tokens', 'channels'])
        expect(numberIn(target, `select count(*) from ${table}`)).toBe(
          numberIn(target, `select count(*) from import_rows where kind = '${table}'`),
        )
    }
    const last = start()
    expect(await last.ended).toBe(0)
    for (const figure of ['count(*)', 'sum(quota)', 'sum(used_quota)'])
      expect(numberIn(target, `select ${figure} from users`)).toBe(
        numberIn(source, `select ${figure} from users`),
      )
    expect(numberIn(target, 'select count(*) from logs')).toBe(numberIn(source, 'select count(*) from logs'))
    const database = openDatabase({ url: target, durability: 'process' })
    expect((await auditLedger(database.db)).drift).toBe(0)
    await database.close()
    folder.remove()
  },
  TIMEOUT_MS,
)
