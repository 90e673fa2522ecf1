import { nowMs } from './clock.ts'

const LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof LEVELS)[number]
export type LogFields = Readonly<Record<string, unknown>>

/** Structured log lines. Pass ids and figures as fields; never a key, a password, a body or an upstream address. */
export type Log = Readonly<Record<LogLevel, (message: string, fields?: LogFields) => void>>

interface LogOptions {
  readonly level: LogLevel
  /** Pretty lines for a person at a terminal, JSON lines for everything else. */
  readonly isPretty: boolean
  readonly write: (line: string) => void
}

export function openLog({ level, isPretty, write }: LogOptions): Log {
  const from = LEVELS.indexOf(level)
  const render = isPretty ? prettyLine : jsonLine
  const writer = (own: LogLevel) =>
    LEVELS.indexOf(own) < from
      ? () => undefined
      : (message: string, fields: LogFields = {}) => write(`${render(own, message, fields)}\n`)
  return { debug: writer('debug'), info: writer('info'), warn: writer('warn'), error: writer('error') }
}

/** Says nothing: for tests of things that log. */
export const silentLog: Log = openLog({ level: 'error', isPretty: false, write: () => undefined })

function jsonLine(level: LogLevel, message: string, fields: LogFields): string {
  return JSON.stringify({ time: new Date(nowMs()).toISOString(), level, message, ...plain(fields) })
}

function prettyLine(level: LogLevel, message: string, fields: LogFields): string {
  const rest = Object.entries(plain(fields)).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return [new Date(nowMs()).toISOString().slice(11, 19), level.padEnd(5), message, ...rest].join(' ')
}

const plain = (fields: LogFields): LogFields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      value instanceof Error ? { name: value.name, message: value.message, stack: value.stack } : value,
    ]),
  )
