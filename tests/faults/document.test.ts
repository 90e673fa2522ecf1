import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { faultSights } from '../clients/fault-sights.ts'
import { PROJECT } from '../harness/program.ts'
import { faultRow } from './fault-row.ts'

const FAULTS_LEAST = 60
const PROOF = /^\| (.+?) \|.*\| \[test\]\(\.\.\/(\S+)\): (.+) \|$/gm

const document = readFileSync(join(PROJECT, 'docs/reference/faults.md'), 'utf8')
const proofs = [...document.matchAll(PROOF)].map(([, fault = '', file = '', name = '']) => ({
  fault,
  file,
  name,
}))

test('docs/reference/faults.md says of each fault at the vendor what the tests prove', () => {
  expect(document).toContain(Object.keys(faultSights).map(faultRow).join('\n'))
})

test.each(proofs)('docs/reference/faults.md names the proof of: $fault', ({ file, name }) => {
  expect(readFileSync(join(PROJECT, file), 'utf8')).toContain(name)
})

test('the list is long, and names each fault once', () => {
  const names = [...Object.keys(faultSights), ...proofs.map(({ fault }) => fault)]
  expect(names.length).toBeGreaterThanOrEqual(FAULTS_LEAST)
  expect(new Set(names).size).toBe(names.length)
  expect(proofs.length).toBe(document.split('[test](').length - 1)
})
