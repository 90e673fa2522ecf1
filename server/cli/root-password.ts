import { RECORDS } from '#contract/audited-records.ts'
import { ROLE } from '#contract/enums.ts'
import { replacePassword } from '../accounts/passwords.ts'
import { backUpBeforeUpgrade } from '../compose/upgrade-backup.ts'
import { readConfig } from '../config/config.ts'
import { hashPassword } from '../core/crypto.ts'
import { randomAlphanumeric } from '../core/ids.ts'
import { noopLogger } from '../core/logger.ts'
import { findUserByRole } from '../db/accounts/users.ts'
import { inTransaction, migrate, openDatabase } from '../db/engine/database.ts'
import type { CommandContext } from '../feature.ts'
import { recordCommand } from './command-change.ts'

const PASSWORD_LENGTH = 16
const CHANGE = { command: 'root-password', record: RECORDS.user }

/** `tollgate root-password`: sets a random password for the root account, prints it and ends its sessions and access token. */
export async function rootPassword(_args: readonly string[], context: CommandContext): Promise<number> {
  const { migrations, events } = context
  const config = readConfig()
  const database = openDatabase({ url: config.databaseUrl, durability: config.durability }, migrations)
  try {
    await backUpBeforeUpgrade(database, config, noopLogger)
    await migrate(database)
    const root = await findUserByRole(database.db, ROLE.root)
    if (!root) throw new Error('there is no root account yet: start the gateway once')
    const password = randomAlphanumeric(PASSWORD_LENGTH)
    const password_hash = await hashPassword(password)
    await inTransaction(database.db, db =>
      recordCommand({ ...CHANGE, secretKey: config.secretKey, db, rows: { id: [root.id] } }, context, () =>
        replacePassword(db, root.id, { password_hash, must_change_password: 1 }, { events }),
      ),
    )
    process.stdout.write(`The new password of ${root.username} is ${password} (shown only once)\n`)
    return 0
  } finally {
    await database.close()
  }
}
