import { main } from './lib/main.mjs'
import { readName, writeFolder } from './lib/new-folder.mjs'
import { screenFiles } from './lib/screen-files.mjs'

const USAGE = `
Usage: npm run new:screen -- NAME

Creates a screen in features/NAME/console, of a new feature or of one that has none yet. No other file changes.
`

await main(USAGE, () => {
  const name = readName('new:screen')
  writeFolder(`features/${name}/console`, screenFiles(name))
  process.stdout.write(
    `Created the screen at /${name}, with an entry in the sidebar. Its texts are in text.ts.\n`,
  )
})
