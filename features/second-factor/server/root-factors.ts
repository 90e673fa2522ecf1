import { ROLE } from '#contract/enums.ts'
import { recordCommand } from '#server/cli/command-change.ts'
import { readConfig } from '#server/config/config.ts'
import { endAccess } from '#server/db/accounts/sessions.ts'
import { findUserByRole } from '#server/db/accounts/users.ts'
import { inTransaction, openDatabase } from '#server/db/engine/database.ts'
import type { Command } from '#server/feature.ts'
import { FACTOR_RECORD } from '../contract.ts'
import { deleteFactorsOfUser } from './queries.ts'

const CHANGE = { command: 'root-factors', record: FACTOR_RECORD }

/** `tollgate root-factors`: for a root who has lost passkeys, authenticator and recovery codes. */
export const rootFactors: Command = {
  summary: 'remove the second factors of root',
  usage:
    'Usage: tollgate root-factors\n\nRemoves the passkeys, authenticator apps and recovery codes of root, and ends its sessions.\n',
  takesArguments: false,
  async run(_args, context) {
    const { databaseUrl: url, durability, secretKey } = readConfig()
    const database = openDatabase({ url, durability }, context.migrations)
    try {
      const root = await findUserByRole(database.db, ROLE.root)
      if (!root) throw new Error('there is no root account yet: start the gateway once')
      await inTransaction(database.db, db =>
        recordCommand({ ...CHANGE, secretKey, db, rows: { user_id: [root.id] } }, context, async () => {
          await deleteFactorsOfUser(db, root.id)
          await endAccess(db, root.id)
        }),
      )
      process.stdout.write(`${root.username} has no second factor any more and signs in with the password\n`)
      return 0
    } finally {
      await database.close()
    }
  },
}
