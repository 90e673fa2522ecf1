import { existsSync, readFileSync } from 'node:fs'

/**
 * The counts of a JUnit report. What was skipped counts as failed: nothing is skipped quietly.
 * Undefined when there is no report.
 */
export function readReport(file) {
  if (!existsSync(file)) return undefined
  const head = readFileSync(file, 'utf8').match(/<testsuites [^>]*>/)?.[0] ?? ''
  const count = name => Number(head.match(new RegExp(`\\b${name}="(\\d+)"`))?.[1] ?? 0)
  const failed = count('failures') + count('skipped')
  return { passed: count('tests') - failed, failed }
}
