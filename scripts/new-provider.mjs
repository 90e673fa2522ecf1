import { readdirSync, readFileSync } from 'node:fs'
import { main } from './lib/main.mjs'
import { readName, titleCase, writeFolder } from './lib/new-folder.mjs'
import { inProject } from './lib/project.mjs'

const PROVIDERS = 'server/providers'
/** Follows OpenAI's format, so its recorded chats and errors fit any such provider. */
const TEMPLATE_PROVIDER = 'custom'
/** The fixtures of chat. Those of other operations would need their members in the manifest. */
const CHAT_FIXTURES = /^(channel\.json|errors\.json|chat.*\.(json|sse\.txt))$/
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
    'Next: set its base URL, models and differences in index.ts, replace the fixtures with its own responses, and write the tables of the documentation: MATRIX=write npm test -- tests/providers/matrix.test.ts\n',
  )
})

function providerSource(name, type) {
  return `import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'

export const provider = defineProvider({
  type: ${type},
  name: '${titleCase(name)}',
  baseUrl: 'https://api.${name}.example',
  models: [],
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
  const read = file => readFileSync(`${folder}/${file}`, 'utf8')
  const files = readdirSync(folder).filter(file => CHAT_FIXTURES.test(file))
  const expected = Object.entries(JSON.parse(read('expect.json'))).filter(([file]) => files.includes(file))
  return Object.fromEntries([
    ...files.map(file => [`fixtures/${file}`, read(file)]),
    ['fixtures/expect.json', `${JSON.stringify(Object.fromEntries(expected), null, 2)}\n`],
  ])
}

function listFolders(root) {
  return readdirSync(inProject(root), { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(entry => entry.name)
}
