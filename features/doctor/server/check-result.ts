import type { BothLanguages, Language } from '#server/core/language.ts'

type CheckStatus = 'ok' | 'warn' | 'fail'

/** The names are stable, so that scripts can rely on them. */
type CheckName =
  | 'settings'
  | 'port'
  | 'disk'
  | 'files'
  | 'database'
  | 'standby'
  | 'pooler'
  | 'limits'
  | 'key'
  | 'clock'
  | 'upstreams'
  | 'backups'
  | 'proxies'
  | 'url'
  | 'path'
  | 'address'
  | 'origin'
  | 'stream'
  | 'socket'
  | 'connection'
  | 'body'

export interface CheckResult {
  readonly check: CheckName
  readonly status: CheckStatus
  readonly finding: BothLanguages
  /** Remedy for a warning or a failure. */
  readonly remedy?: BothLanguages
}

export const ok = (check: CheckName, finding: BothLanguages): CheckResult => ({
  check,
  status: 'ok',
  finding,
})

/** A warning or a failure. */
export const checkProblem = (
  status: 'warn' | 'fail',
  check: CheckName,
  finding: BothLanguages,
  remedy: BothLanguages,
): CheckResult => ({ check, status, finding, remedy })

const STATUS_TEXT: Readonly<Record<CheckStatus, BothLanguages>> = {
  ok: { zh: '正常', en: 'ok' },
  warn: { zh: '警告', en: 'warn' },
  fail: { zh: '故障', en: 'FAIL' },
}
const STATUS_WIDTH = 5
const NAME_WIDTH = 10

/** One line for each check, a second one for what to do, and a summary. */
export function renderResults(results: readonly CheckResult[], language: Language): string {
  const lines = results.flatMap(({ check, status, finding, remedy }) => {
    const start = `${padEnd(STATUS_TEXT[status][language], STATUS_WIDTH)} ${check.padEnd(NAME_WIDTH)} `
    const indent = ' '.repeat(STATUS_WIDTH + NAME_WIDTH + 2)
    return [start + finding[language], ...(remedy ? [`${indent}→ ${remedy[language]}`] : [])]
  })
  const count = (status: CheckStatus) => results.filter(result => result.status === status).length
  const summary = {
    zh: `共 ${results.length} 项：${count('ok')} 项正常，${count('warn')} 项警告，${count('fail')} 项故障`,
    en: `${results.length} checks: ok ${count('ok')}, warn ${count('warn')}, fail ${count('fail')}`,
  }
  return [...lines, '', summary[language]].join('\n')
}

/** For scripts. The status of the worst check is the status of all. */
export function renderJson(results: readonly CheckResult[], language: Language): string {
  return JSON.stringify(
    {
      status: worstStatus(results),
      checks: results.map(({ check, status, finding, remedy }) => ({
        check,
        status,
        finding: finding[language],
        ...(remedy && { remedy: remedy[language] }),
      })),
    },
    undefined,
    2,
  )
}

export function worstStatus(results: readonly CheckResult[]): CheckStatus {
  const has = (status: CheckStatus) => results.some(result => result.status === status)
  if (has('fail')) return 'fail'
  return has('warn') ? 'warn' : 'ok'
}

/** Chinese characters take two columns of a terminal. */
const padEnd = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - Bun.stringWidth(text)))
