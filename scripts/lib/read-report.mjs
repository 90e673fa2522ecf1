import { existsSync, readFileSync } from 'node:fs'

/**
 * Reads the test counts of a JUnit report. A skipped test counts as failed, so that none goes unnoticed.
 * Returns undefined when the report does not exist.
 */
export function readReport(file) {
  if (!existsSync(file)) return undefined
  const head = readFileSync(file, 'utf8').match(/<testsuites [^>]*>/)?.[0] ?? ''
  const count = name => Number(head.match(new RegExp(`\\b${name}="(\\d+)"`))?.[1] ?? 0)
  const failed = count('failures') + count('skipped')
  return { passed: count('tests') - failed, failed }
}

/** Returns the seconds that the tests of each file took, according to a JUnit report. */
export function readFileTimes(file) {
  if (!existsSync(file)) return []
  const suites = readFileSync(file, 'utf8').matchAll(
    /<testsuite name="([^"]+)" file="\1"[^>]* time="([\d.]+)"/g,
  )
  return [...suites].map(([, path, seconds]) => ({ path, seconds: Number(seconds) }))
}
