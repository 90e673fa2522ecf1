import { auditLedger } from '../../../server/ledger/audit.ts'
import { inDatabase } from '../../harness/in-database.ts'
import { startProgram } from '../../harness/program.ts'
import { startGateway } from '../../harness/start-gateway.ts'
import { makeTemporaryFolder } from '../../harness/temporary-folder.ts'
import { assertKilled } from './assert-killed.ts'
import { dying } from './ground.ts'
import type { StorePlace } from './place.ts'

interface FirstStart {
  readonly place: StorePlace
  readonly count: number
}

/** A new installation dies while it makes its tables or its first account, and is started again. Gives what is wrong. */
export async function runFirstStart({ place, count }: FirstStart): Promise<readonly string[]> {
  const folder = makeTemporaryFolder()
  try {
    const death = dying({ place, count, isFromStart: true })
    const environment = { DATA_DIR: folder.path, PORT: '0', ROOT_PASSWORD: 'root-of-the-test' }
    await assertKilled(startProgram(['serve'], { ...environment, ...death.environment }, death).ended, {
      place,
      count,
    })
    const gateway = await startGateway({ dataDir: folder.path })
    await gateway.kill()
    const found = await inDatabase({ dataDir: folder.path }, async db => ({
      users: await db.selectFrom('users').select('quota').execute(),
      gifts: await db.selectFrom('postings').select('amount').where('kind', '=', 'gift').execute(),
      drift: (await auditLedger(db)).drift,
    }))
    const isRight = found.users.length === 1 && found.gifts.length === 1 && found.drift === 0
    return isRight ? [] : [`expected one account with one gift, found ${JSON.stringify(found)}`]
  } finally {
    folder.remove()
  }
}
