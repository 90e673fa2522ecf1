import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { loadFeatures } from './compose/modules.ts'
import { main } from './main.ts'
import type { Program } from './program.ts'

const program: Program = {
  modules: { providers: new Map(), dialects: new Map(), features: await loadFeatures() },
  consoleFiles: new Map(),
  docsFolder: '',
  version: '1.2.3',
}
const COMMANDS = ['serve', 'lab', 'verify', 'doctor', 'import', 'root-password', 'help']

let printed = ''
let errors = ''
let spies: { mockRestore(): void }[] = []
beforeEach(() => {
  printed = ''
  errors = ''
  spies = [
    spyOn(process.stdout, 'write').mockImplementation(text => {
      printed += text
      return true
    }),
    spyOn(process.stderr, 'write').mockImplementation(text => {
      errors += text
      return true
    }),
  ]
})
afterEach(() => {
  for (const spy of spies) spy.mockRestore()
})

const run = (...args: readonly string[]) => main(args, program)

test.each([['--help'], ['-h'], ['help']])('tollgate %s prints every command', async option => {
  expect(await run(option)).toBe(0)
  for (const command of COMMANDS) expect(printed).toContain(`  ${command} `)
  expect(errors).toBe('')
})

test.each([['--version'], ['-v']])('tollgate %s prints the version', async option => {
  expect(await run(option)).toBe(0)
  expect(printed).toBe('1.2.3\n')
})

describe.each(COMMANDS.map(command => [command]))('tollgate %s', command => {
  test.each([['--help'], ['-h']])('%s prints its usage without running it', async option => {
    expect(await run(command, option)).toBe(0)
    expect(printed).toStartWith(`Usage: tollgate ${command}`)
  })

  test('--version prints the version without running it', async () => {
    expect(await run(command, '--version')).toBe(0)
    expect(printed).toBe('1.2.3\n')
  })
})

test('rejects an unknown command and lists the known ones, even with --help', async () => {
  expect(await run('sell', '--help')).toBe(2)
  expect(errors).toContain('unknown command "sell"')
  for (const command of COMMANDS) expect(errors).toContain(command)
})

test('rejects arguments of a command that takes none', async () => {
  expect(await run('verify', '--port', '8080')).toBe(2)
  expect(errors).toContain('tollgate verify takes no arguments, found "--port"')
})
