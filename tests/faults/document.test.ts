import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { faultSights } from '../clients/fault-sights.ts'
import { PROJECT } from '../harness/program.ts'
import { faultRow } from './fault-row.ts'

const FAULTS_LEAST = 60
const PROOF = /^\| (.+?) \|.*\| \[test\]\((\S+)\): (.+) \|$/gm

const FOLDER = join(PROJECT, 'docs/reference')
const document = readFileSync(join(FOLDER, 'faults.md'), 'utf8')
const proofs = [...document.matchAll(PROOF)].map(([, fault = '', file = '', name = '']) => ({
  fault,
  file,
  name,
}))

test('docs/reference/faults.md lists every provider fault with its tested outcome', () => {
  expect(document).toContain(Object.keys(faultSights).map(faultRow).join('\n'))
})

test.each(proofs)('docs/reference/faults.md names an existing test for: $fault', ({ file, name }) => {
  expect(readFileSync(resolve(FOLDER, file), 'utf8')).toContain(name)
})

test('docs/reference/faults.md lists each of at least 60 faults once', () => {
  const names = [...Object.keys(faultSights), ...proofs.map(({ fault }) => fault)]
  expect(names.length).toBeGreaterThanOrEqual(FAULTS_LEAST)
  expect(new Set(names).size).toBe(names.length)
  expect(proofs.length).toBe(document.split('[test](').length - 1)
})
