import type { CompiledQuery, QueryResult } from 'kysely'

/** What statements are sent to: the database, a transaction on it, or a bare connection. */
export interface Session {
  executeQuery(query: CompiledQuery): Promise<QueryResult<unknown>>
}
