import { RECORDS } from '#contract/audited-records.ts'
import { ROLE } from '#contract/enums.ts'
import { replacePassword } from '#server/accounts/passwords.ts'
import { recordCommand } from '#server/cli/command-change.ts'
import { readConfig } from '#server/config/config.ts'
import { hashPassword } from '#server/core/crypto.ts'
import { randomAlphanumeric } from '#server/core/ids.ts'
import { findUserByRole } from '#server/db/accounts/users.ts'
import { inTransaction, isMigrated, openDatabase } from '#server/db/engine/database.ts'
import type { Command, CommandContext } from '#server/feature.ts'

const PASSWORD_LENGTH = 16
const CHANGE = { command: 'root-password', record: RECORDS.user }

/** `tollgate root-password`: for a root who has lost the password. Also ends the sessions and the access token of root. */
export const rootPassword: Command = {
  summary: 'give the root account a new random password and print it',
  usage: `Usage: tollgate root-password

Gives the root account a new random password, prints it once, and ends all sessions of the account.
`,
  takesArguments: false,
  run: replaceRootPassword,
}

async function replaceRootPassword(_args: readonly string[], context: CommandContext): Promise<number> {
  const { migrations, events } = context
  const config = readConfig()
  const database = openDatabase({ url: config.databaseUrl, durability: config.durability }, migrations)
  try {
    if (!(await isMigrated(database)))
      throw new Error('the database is empty or has the schema of another version: start the gateway once')
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
