import type { UserRow } from '#server/db/accounts/users.ts'
import type { Database } from '#server/db/engine/database.ts'

/**
 * Finds a user that is not deleted by e-mail address in any case, else by user name. The address has priority, because it
 * is verified and a user name may look like one.
 */
export function findUserByLogin(db: Database, login: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('users')
    .selectAll()
    .where(where => where.or([where('username', '=', login), where('email', '=', login.toLowerCase())]))
    .where('deleted_at', 'is', null)
    .orderBy(order => order.case().when('email', '=', login.toLowerCase()).then(0).else(1).end())
    .limit(1)
    .executeTakeFirst()
}
