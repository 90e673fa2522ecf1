import { elapsedMs, nowMs } from './clock.ts'

const LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof LEVELS)[number]
export type LogFields = Readonly<Record<string, unknown>>

/** Structured logger. Pass ids and figures as fields; never log a key, a password, a body or an upstream address. */
export type Logger = Readonly<Record<LogLevel, (message: string, fields?: LogFields) => void>>

interface LoggerOptions {
  /** The lowest level that is written. */
  readonly level: LogLevel
  /** Human-readable lines for a terminal instead of JSON lines. */
  readonly isPretty: boolean
  readonly write: (line: string) => void
}

export function createLogger({ level, isPretty, write }: LoggerOptions): Logger {
  const lowest = LEVELS.indexOf(level)
  const render = isPretty ? prettyLine : jsonLine
  const writer = (own: LogLevel) =>
    LEVELS.indexOf(own) < lowest
      ? () => undefined
      : (message: string, fields: LogFields = {}) => write(`${render(own, message, fields)}\n`)
  return { debug: writer('debug'), info: writer('info'), warn: writer('warn'), error: writer('error') }
}

/** Discards every line. */
export const noopLogger: Logger = createLogger({ level: 'error', isPretty: false, write: () => undefined })

function jsonLine(level: LogLevel, message: string, fields: LogFields): string {
  return JSON.stringify({ time: new Date(nowMs()).toISOString(), level, message, ...serializable(fields) })
}

function prettyLine(level: LogLevel, message: string, fields: LogFields): string {
  const pairs = Object.entries(serializable(fields)).map(
    ([name, value]) => `${name}=${JSON.stringify(value)}`,
  )
  return [new Date(nowMs()).toISOString().slice(11, 19), level.padEnd(5), message, ...pairs].join(' ')
}

/** Errors have no enumerable properties, so JSON would show them as `{}`. */
const serializable = (fields: LogFields): LogFields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      value instanceof Error ? { name: value.name, message: value.message, stack: value.stack } : value,
    ]),
  )

const THROTTLE_MS = 60_000

/**
 * Returns a function that logs `message` at most once a minute, for conditions that many requests hit at
 * once, such as a full disk. The next line carries the number of suppressed ones in the field `unsaid`.
 */
export function throttledLog(
  log: Logger,
  message: string,
  level: 'error' | 'warn' = 'error',
): (fields: LogFields) => void {
  let loggedAtMs = Number.NEGATIVE_INFINITY
  let suppressed = 0
  return fields => {
    if (elapsedMs() - loggedAtMs < THROTTLE_MS) {
      suppressed += 1
      return
    }
    log[level](message, suppressed > 0 ? { ...fields, unsaid: suppressed } : fields)
    loggedAtMs = elapsedMs()
    suppressed = 0
  }
}
