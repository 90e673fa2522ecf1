import { afterEach, beforeEach, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT } from '../harness/program.ts'

const FEATURE = 'written-by-a-test'
const SCREEN = 'screen-written-by-a-test'
const PROVIDER = 'provider-written-by-a-test'
const FOLDERS = [`features/${FEATURE}`, `features/${SCREEN}`]
const PROVIDER_FOLDER = `server/providers/${PROVIDER}`
const BIOME = 'node_modules/@biomejs/biome/bin/biome'
const TYPESCRIPT = 'node_modules/@typescript/native/bin/tsc'
const CRUISER = 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs'

function removeFolders() {
  for (const folder of [...FOLDERS, PROVIDER_FOLDER])
    rmSync(join(PROJECT, folder), { recursive: true, force: true })
}
beforeEach(removeFolders)
afterEach(removeFolders)

/** The house rules that read the code of features. Figures of the whole project are no business of one new folder. */
const TIDY = ['endpoints', 'folders', 'rooms', 'sources']

const run = (args: readonly string[]) => Bun.$`${args}`.cwd(PROJECT).quiet().nothrow()

test('a new feature and a new screen pass the checks and their own tests as they are written', async () => {
  await expectSuccess(['node', 'scripts/new-feature.mjs', FEATURE, '--option'])
  await expectSuccess(['node', 'scripts/new-screen.mjs', SCREEN])
  await expectSuccess(['node', BIOME, 'check', '--error-on-warnings', ...FOLDERS])
  await expectSuccess(['node', TYPESCRIPT, '-p', '.'])
  await expectSuccess(['node', CRUISER, '--config', '.dependency-cruiser.cjs', ...FOLDERS])
  await expectSuccess([
    process.execPath,
    'test',
    '--only-failures',
    '--timeout=60000',
    ...FOLDERS.map(folder => `./${folder}/`),
    ...TIDY.map(name => `./tests/tidy/${name}.test.ts`),
  ])
})

test('a new provider passes the checks and the conformance suite as it is written', async () => {
  await expectSuccess(['node', 'scripts/new-provider.mjs', PROVIDER])
  await expectSuccess(['node', BIOME, 'check', '--error-on-warnings', PROVIDER_FOLDER])
  await expectSuccess([
    process.execPath,
    'test',
    '--only-failures',
    '--timeout=60000',
    `--test-name-pattern=${PROVIDER}`,
    ...['conformance', 'operations', 'usage-fields'].map(name => `./tests/providers/${name}.test.ts`),
  ])
})

test.each(['new-feature', 'new-screen', 'new-provider'])(
  'npm run %s refuses to overwrite a folder',
  async script => {
    const existing = script === 'new-provider' ? 'openai' : 'tokens'
    expect((await run(['node', `scripts/${script}.mjs`, existing])).exitCode).toBe(1)
  },
)

test.each(['', 'Tokens', 'two words', '../tokens'])('rejects the name %j', async name => {
  expect((await run(['node', 'scripts/new-feature.mjs', name])).exitCode).toBe(1)
})

async function expectSuccess(command: readonly string[]) {
  const { exitCode, stdout, stderr } = await run(command)
  if (exitCode !== 0) throw new Error(`${command.join(' ')} failed:\n${stdout}${stderr}`)
}
