import { main } from './lib/main.mjs'
import { pascalCase, readName, titleCase, writeFolder } from './lib/new-folder.mjs'
import { screenFiles } from './lib/screen-files.mjs'

const USAGE = `
Usage: npm run new:feature -- NAME [--option]

Creates features/NAME with an endpoint, its test and a screen that calls it. No other file changes.

  --option   a system option that the endpoint reads, which the settings page shows
`

await main(USAGE, args => {
  const name = readName('new:feature')
  const hasOption = args.includes('--option')
  const consoleFiles = Object.entries(screenFiles(name, endpointName(name)))
  writeFolder(`features/${name}`, {
    'README.md': readmeSource(name),
    'contract.ts': contractSource(name),
    ...(hasOption && { 'options.ts': optionsSource(name) }),
    'server/index.ts': hasOption ? optionalServerSource(name) : serverSource(name),
    'server/index.test.ts': serverTestSource(name),
    ...Object.fromEntries(consoleFiles.map(([file, source]) => [`console/${file}`, source])),
  })
  process.stdout.write(
    `Next: say in README.md what it does, then replace the entries in contract.ts and follow the types.\n`,
  )
})

function endpointName(name) {
  return `list${pascalCase(name)}`
}

function readmeSource(name) {
  return `# ${titleCase(name)}

One sentence: what a user or an operator can do with it.

| Joins through | |
|---|---|
| \`GET /api/${name}/\` | lists the entries |
| screen \`/${name}\` | shows them |

Tables: none. Tests: \`npm test -- features/${name}\`.
`
}

function contractSource(name) {
  return `import { z } from 'zod'
import { endpoint } from '#contract/endpoint.ts'

export const ${endpointName(name)} = endpoint({
  method: 'GET',
  path: '/api/${name}/',
  role: 'user',
  summary: 'List the entries',
  reply: z.object({
    entries: z.array(z.string()).meta({ description: 'All entries.', example: ['first', 'second'] }),
  }),
})
`
}

function serverSource(name) {
  const endpoint = endpointName(name)
  return `import { handle } from '#server/api/handle.ts'
import { defineFeature } from '#server/feature.ts'
import { ${endpoint} } from '../contract.ts'

export const feature = defineFeature({
  start: () => ({ routes: [handle(${endpoint}, async () => ({ entries: [] }))] }),
})
`
}

function serverTestSource(name) {
  const endpoint = endpointName(name)
  return `import { afterEach, beforeEach, expect, test } from 'bun:test'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import { ${endpoint} } from '../contract.ts'

let app: TestApp
beforeEach(async () => {
  app = await openTestApp()
})
afterEach(() => app.close())

test('lists no entries at first', async () => {
  expect(await app.root.call(${endpoint})).toMatchObject({ success: true, data: { entries: [] } })
})

test('rejects visitors', async () => {
  expect(await app.visitor.call(${endpoint})).toMatchObject({ success: false })
})
`
}

function optionsSource(name) {
  return `import { flag, inSection } from '#contract/options/define-option.ts'
import { SECTIONS } from '#contract/options/sections.ts'

export const options = inSection(SECTIONS.general, {
  ${pascalCase(name)}Enabled: flag(true, {
    label: { zh: '启用 ${titleCase(name)}', en: 'Enable ${titleCase(name)}' },
  }),
})
`
}

function optionalServerSource(name) {
  const endpoint = endpointName(name)
  return `import { handle } from '#server/api/handle.ts'
import { defineFeature } from '#server/feature.ts'
import { ${endpoint} } from '../contract.ts'
import { options } from '../options.ts'

export const feature = defineFeature({
  options,
  start: ({ settings }) => ({
    routes: [
      handle(${endpoint}, async () => ({
        entries: settings.of(options).${pascalCase(name)}Enabled ? [] : ['disabled'],
      })),
    ],
  }),
})
`
}
