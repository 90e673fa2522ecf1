import { expect, test } from 'bun:test'
import type { ImportReport } from '../import-report.ts'
import { shadowImport } from './shadow-import.ts'

function reportOf(brought: number, changed: number): ImportReport {
  const none = () => ({ count: 0, rows: [] })
  const users = { table: 'users', read: 5, brought, present: 0, changed, skipped: none(), questions: none() }
  return { program: 'other', isDryRun: false, tables: new Map([['users', users]]), remarks: [] }
}

test('repeats the import until a stop signal, and says when nothing is missing', async () => {
  const lines: string[] = []
  const write = process.stdout.write
  process.stdout.write = (text: string | Uint8Array) => lines.push(String(text)) > 0
  const passes = [
    async () => reportOf(3, 2),
    () => Promise.reject(new Error('the source restarts')),
    async () => reportOf(0, 0),
  ]
  const stopAfterPasses = async () => {
    const pass = passes.shift()
    if (pass) return pass()
    process.emit('SIGTERM')
    return reportOf(0, 0)
  }
  try {
    expect(await shadowImport(stopAfterPasses, 1)).toEqual(reportOf(0, 0))
  } finally {
    process.stdout.write = write
  }
  expect(lines.map(line => line.slice('00:00:00 '.length).trim()).slice(0, 3)).toEqual([
    '3 new, 2 changed: the other gateway is in use, so stop it and wait for a pass that finds nothing',
    'the pass failed and is repeated: the source restarts',
    'nothing new and nothing changed: a switch loses nothing once the other gateway takes no more requests',
  ])
})

test('ends with the error of a source that stays away', async () => {
  const write = process.stdout.write
  process.stdout.write = () => true
  try {
    await expect(shadowImport(() => Promise.reject(new Error('it is gone')), 1)).rejects.toThrow('it is gone')
  } finally {
    process.stdout.write = write
  }
})
