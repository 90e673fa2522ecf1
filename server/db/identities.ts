import type { Database } from './database.ts'
import type { IdentityColumn, UserRow } from './users.ts'

/** What leads to one account each. */
export type UniqueColumn = IdentityColumn | 'email'

/** Whose account this is, deleted ones included. */
export function findUserBy(db: Database, column: UniqueColumn, value: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where(column, '=', value).executeTakeFirst()
}

/** Gives a user an address or an identity. False when it is another's, deleted ones included. */
export async function bindTo(
  db: Database,
  userId: number,
  column: UniqueColumn,
  value: string,
): Promise<boolean> {
  const isFree = async () => {
    const owner = await findUserBy(db, column, value)
    return owner === undefined || owner.id === userId
  }
  if (!(await isFree())) return false
  try {
    await db
      .updateTable('users')
      .set({ [column]: value })
      .where('id', '=', userId)
      .execute()
    return true
  } catch (error) {
    if (await isFree()) throw error
    return false
  }
}

export async function unbindFrom(db: Database, userId: number, column: UniqueColumn): Promise<void> {
  await db
    .updateTable('users')
    .set({ [column]: '' })
    .where('id', '=', userId)
    .execute()
}
