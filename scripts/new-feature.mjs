import { main } from './lib/main.mjs'
import { camelCase, pascalCase, readName, titleCase, writeFolder } from './lib/new-folder.mjs'
import { screenFiles } from './lib/screen-files.mjs'

const USAGE = `
Usage: npm run new:feature -- NAME

Creates features/NAME with an endpoint, its test and a screen that calls it. No other file changes.
`

await main(USAGE, () => {
  const name = readName('new:feature')
  const consoleFiles = Object.entries(screenFiles(name, queriesSource(name)))
  writeFolder(`features/${name}`, {
    'README.md': readmeSource(name),
    'contract.ts': contractSource(name),
    'server/index.ts': serverSource(name),
    'server/index.test.ts': serverTestSource(name),
    ...Object.fromEntries(consoleFiles.map(([file, source]) => [`console/${file}`, source])),
  })
  process.stdout.write(
    `Next: say in README.md what it does, then replace the entries in contract.ts and follow the types. Options that it alone reads go into options.ts (CONTRIBUTING.md, "Add an option").\n`,
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

function queriesSource(name) {
  const endpoint = endpointName(name)
  return `import { queryOptions } from '@tanstack/react-query'
import { call } from '#console/app/api/call.ts'
import { ${endpoint} } from '../contract.ts'

export const ${camelCase(name)}Query = queryOptions({
  queryKey: ['${name}'],
  queryFn: ({ signal }) => call(${endpoint}, { signal }),
})
`
}
