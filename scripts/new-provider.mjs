import { readdirSync, readFileSync } from 'node:fs'
import { main } from './lib/main.mjs'
import { readName, titleCase, writeFolder } from './lib/new-folder.mjs'
import { inProject } from './lib/project.mjs'

const PROVIDERS = 'server/providers'
/** Supports OpenAI-compatible chat only, so its fixtures fit any such provider. */
const TEMPLATE_PROVIDER = 'custom'
/** Lower numbers are reserved for the types in imported databases. */
const NEW_TYPE_MIN = 1000

const USAGE = `
Usage: npm run new:provider -- NAME

Creates the folder of a new provider. No other file changes.
`

await main(USAGE, () => {
  const name = readName('new:provider')
  writeFolder(`${PROVIDERS}/${name}`, { 'index.ts': providerSource(name, findFreeType()), ...copyFixtures() })
  process.stdout.write(
    'Next: set its base URL, models and differences in index.ts, and replace the fixtures with its own responses.\n',
  )
})

function providerSource(name, type) {
  return `import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'

export const provider = defineProvider({
  type: ${type},
  name: '${titleCase(name)}',
  baseUrl: 'https://api.${name}.example',
  models: ['${name}-chat'],
  chat: openaiCompatibleChat(),
})
`
}

function findFreeType() {
  const used = listFolders(PROVIDERS).map(folder =>
    Number(readFileSync(inProject(PROVIDERS, folder, 'index.ts'), 'utf8').match(/\btype: (\d+)/)?.[1]),
  )
  return Math.max(NEW_TYPE_MIN - 1, ...used) + 1
}

function copyFixtures() {
  const folder = inProject(PROVIDERS, TEMPLATE_PROVIDER, 'fixtures')
  return Object.fromEntries(
    readdirSync(folder).map(file => [`fixtures/${file}`, readFileSync(`${folder}/${file}`, 'utf8')]),
  )
}

function listFolders(root) {
  return readdirSync(inProject(root), { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(entry => entry.name)
}
