import { type Command, defineFeature } from '#server/feature.ts'
import { move as moveDatabase } from './cli/move.ts'

const move: Command = {
  summary: 'copy the whole database to another engine or server',
  usage: `Usage: tollgate move --to PLACE

Copies the whole database to another engine or server while the gateway is stopped, compares the checksums of every table, and
recomputes the books on both sides. PLACE is postgres://… of an empty database, or a file that does not exist. The database of
DATA_DIR or DATABASE_URL is only read. An interrupted move leaves PLACE empty: run it again.
`,
  takesArguments: true,
  run: moveDatabase,
}

export const feature = defineFeature({ commands: { move } })
