import { auditLedger } from '#server/ledger/audit.ts'
import { inDatabase } from '../../harness/in-database.ts'
import { startProgram } from '../../harness/program.ts'
import { startGateway } from '../../harness/start-gateway.ts'
import { makeTemporaryFolder } from '../../harness/temporary-folder.ts'
import { crashOptions } from './crash-environment.ts'
import type { DatabaseTrigger } from './crash-plan.ts'
import { assertKilled } from './scenario.ts'

interface FirstStartCrash {
  readonly trigger: DatabaseTrigger
  readonly count: number
}

/** Kills a new installation while it creates its tables or its first account, and starts it again. Returns the problems found. */
export async function runFirstStart({ trigger, count }: FirstStartCrash): Promise<readonly string[]> {
  const folder = makeTemporaryFolder()
  try {
    const options = crashOptions({ trigger, count, isArmedFromStart: true })
    const environment = { DATA_DIR: folder.path, PORT: '0', ROOT_PASSWORD: 'root-of-the-test' }
    await assertKilled(startProgram(['serve'], { ...environment, ...options.environment }, options).ended, {
      trigger,
      count,
    })
    const gateway = await startGateway({ dataDir: folder.path })
    await gateway.kill()
    const found = await inDatabase({ dataDir: folder.path }, async db => ({
      users: await db.selectFrom('users').select('quota').execute(),
      gifts: await db.selectFrom('postings').select('amount').where('kind', '=', 'gift').execute(),
      drift: (await auditLedger(db)).drift,
    }))
    const isExpected = found.users.length === 1 && found.gifts.length === 1 && found.drift === 0
    return isExpected ? [] : [`expected one account with one gift, found ${JSON.stringify(found)}`]
  } finally {
    folder.remove()
  }
}
