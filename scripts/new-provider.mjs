import { readdirSync, readFileSync } from 'node:fs'
import { main } from './lib/main.mjs'
import { givenName, titleOf, writeFolder } from './lib/new-folder.mjs'
import { inProject } from './lib/project.mjs'

const PROVIDERS = 'server/providers'
/** A vendor that answers chat in OpenAI's format and nothing more: its recorded answers fit any such vendor. */
const MODEL_VENDOR = 'custom'
/** Numbers below are those of the lineage, stored in databases that may be imported. */
const OWN_TYPES_FROM = 1000

const USAGE = `
Usage: npm run new:provider -- NAME

Writes the folder of a new provider and nothing else.
`

await main(USAGE, () => {
  const name = givenName('new:provider')
  writeFolder(`${PROVIDERS}/${name}`, { 'index.ts': manifestOf(name, freeType()), ...recordedAnswers() })
  process.stdout.write(
    'Now state its address, models and differences in index.ts, and record its own answers.\n',
  )
})

function manifestOf(name, type) {
  return `import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import { defineProvider } from '../../provider-kit/contract/provider.ts'

export const provider = defineProvider({
  type: ${type},
  name: '${titleOf(name)}',
  baseUrl: 'https://api.${name}.example',
  models: ['${name}-chat'],
  chat: openaiCompatibleChat(),
})
`
}

function freeType() {
  const used = foldersOf(PROVIDERS).map(folder =>
    Number(readFileSync(inProject(PROVIDERS, folder, 'index.ts'), 'utf8').match(/\btype: (\d+)/)?.[1]),
  )
  return Math.max(OWN_TYPES_FROM - 1, ...used) + 1
}

function recordedAnswers() {
  const folder = inProject(PROVIDERS, MODEL_VENDOR, 'fixtures')
  return Object.fromEntries(
    readdirSync(folder).map(file => [`fixtures/${file}`, readFileSync(`${folder}/${file}`, 'utf8')]),
  )
}

function foldersOf(root) {
  return readdirSync(inProject(root), { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(entry => entry.name)
}
