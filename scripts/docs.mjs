import { buildDocs } from './lib/build-docs.mjs'
import { install } from './lib/install.mjs'
import { main } from './lib/main.mjs'
import { inProject } from './lib/project.mjs'
import { runNode } from './lib/run.mjs'

const USAGE = `
Usage: npm run docs [-- --dev]

Builds the documentation site from docs/ into dist/docs, which the gateway serves at /docs.
With --dev it serves the site with hot reload instead, for writing.
`

await main(USAGE, async args => {
  await install()
  if (args.includes('--dev'))
    return runNode(inProject('node_modules', 'vitepress', 'bin', 'vitepress.js'), ['dev', 'docs'])
  await buildDocs()
  process.stdout.write('The site is in dist/docs; the gateway serves it at /docs/.\n')
})
