import type { Database } from './database.ts'

/** The keys that were sealed last, of a token and of a channel, as far as there are any. */
export async function newestSealed(db: Database): Promise<readonly string[]> {
  const newestOf = (table: 'tokens' | 'channels') =>
    db.selectFrom(table).select('key_sealed').where('key_sealed', '<>', '').orderBy('id', 'desc').limit(1)
  const found = await Promise.all([newestOf('tokens').execute(), newestOf('channels').execute()])
  return found.flat().map(({ key_sealed }) => key_sealed)
}
