import { apiErrors } from '../../core/api-error.ts'
import { errorMessage } from '../../core/errors.ts'

const SERVICE_UNAVAILABLE = 503
const GATEWAY_TIMEOUT = 504

/** Queries that cannot run now. `seconds`: when to try again. */
export const queryUnavailable = apiErrors(
  'query',
  {
    busy: {
      zh: '当前查询过多，请在 {seconds} 秒后重试',
      en: 'too many queries are waiting; try again in {seconds} s',
    },
    lost: {
      zh: '数据库暂时没有响应，请在 {seconds} 秒后重试',
      en: 'the database does not respond at the moment; try again in {seconds} s',
    },
  },
  SERVICE_UNAVAILABLE,
)

/** Queries that were stopped at their time limit. */
export const queryTimeout = apiErrors(
  'query',
  {
    too_slow: {
      zh: '查询时间过长，已停止，请缩小时间范围或增加筛选条件',
      en: 'the query took too long and was stopped; choose a shorter time range or more filters',
    },
  },
  GATEWAY_TIMEOUT,
)

/**
 * A broken connection, a server that shuts down or starts, and one that has become a standby and takes only reads
 * (postgresql.org/docs/current/errcodes-appendix.html).
 */
const SERVER_LOST = /^(ERR_POSTGRES_CONNECTION_.*|57P0[123]|25006)$/

/** Whether the server was lost, or the connection to it: no statement caused it, and a commit may have happened. */
export const isServerLost = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && SERVER_LOST.test(String(error.code))

/** What an operator can do about errors of connections. */
const HINTS: readonly (readonly [error: RegExp, hint: string])[] = [
  [
    /prepared statement/,
    'a pooler in between shares sessions: add ?prepare=false to DATABASE_URL, or set pool_mode = session in PgBouncer',
  ],
  [/authentication|password/, 'percent-encode @ # / ? in the password'],
]

/** The error with its place, what to do about it, and as `code` the server's SQLSTATE where there is one. */
export function explained(cause: unknown, place = ''): Error {
  const reason = errorMessage(cause)
  const hint = HINTS.find(([error]) => error.test(reason))?.[1]
  const error = new Error(`${place}${reason}${hint === undefined ? '' : `; ${hint}`}`, { cause })
  const hasSqlState = cause instanceof Bun.SQL.PostgresError && cause.errno
  return Object.assign(error, { code: hasSqlState ? cause.errno : Object(cause).code })
}

/** The server stopped a statement, at the `statement_timeout` of its connection. */
const QUERY_CANCELLED = '57014'

/** Sets `code` of the error to the server's SQLSTATE where there is one. */
export function withSqlState(error: unknown): unknown {
  if (!(error instanceof Bun.SQL.PostgresError) || !error.errno) return error
  if (String(error.errno) === QUERY_CANCELLED) return queryTimeout('too_slow')
  return explained(error)
}
