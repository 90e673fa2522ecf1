import { type Command, defineFeature } from '#server/feature.ts'

const move: Command = {
  summary: 'copy the whole database to another engine or server',
  usage: `Usage: tollgate move --to PLACE

Copies the whole database to another engine or server while the gateway is stopped, compares the checksums of every table, and
recomputes the books on both sides. PLACE is postgres://… of an empty database, or a file that does not exist. The database of
DATA_DIR or DATABASE_URL is only read. An interrupted move leaves PLACE empty: run it again.
`,
  takesArguments: true,
  run: async (args, context) => (await import('./cli/move.ts')).move(args, context),
}

export const feature = defineFeature({ commands: { move } })
