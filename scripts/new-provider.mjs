import { readdirSync, readFileSync } from 'node:fs'
import { main } from './lib/main.mjs'
import { givenName, titleOf, writeFolder } from './lib/new-folder.mjs'
import { inProject } from './lib/project.mjs'

const PROVIDERS = 'server/providers'
/** A vendor with OpenAI-compatible chat and nothing else, so its fixtures fit any such vendor. */
const MODEL_VENDOR = 'custom'
/** Lower numbers belong to the lineage, whose databases may be imported. */
const OWN_TYPES_FROM = 1000

const USAGE = `
Usage: npm run new:provider -- NAME

Creates the folder of a new provider and changes no other file.
`

await main(USAGE, () => {
  const name = givenName('new:provider')
  writeFolder(`${PROVIDERS}/${name}`, { 'index.ts': manifestOf(name, freeType()), ...recordedResponses() })
  process.stdout.write(
    'Next: set its base URL, models and differences in index.ts, and replace the fixtures with its own responses.\n',
  )
})

function manifestOf(name, type) {
  return `import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'

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

function recordedResponses() {
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
