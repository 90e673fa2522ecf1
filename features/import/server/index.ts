import { type Command, defineFeature } from '#server/feature.ts'
import { imports } from '../migrations/0017-imports.ts'

/** Its code loads with its command: a gateway that serves never needs it. */
const bringIn: Command = {
  summary: 'bring users, tokens, balances and channels of another gateway',
  usage: `Usage: tollgate import SOURCE [--dry-run] [--probe] [--compare] [--report FILE] [--logs 90d]

Brings users with their passwords, tokens with their keys, balances, channels, codes and options of another gateway:
new-api, one-api, one-hub or LiteLLM. SOURCE is a SQLite file, mysql://…, postgres://… or LiteLLM's config.yaml; it is
only read. Stop the other gateway first. A second import brings only what is new.

  --dry-run        report what would come and what would not, and write nothing
  --probe          ask each enabled channel once for a real answer of at most one token
  --compare        charge the last 30 days of the other gateway's log again with the prices that came, and say who
                   pays more or less, by user and model
  --report FILE    write the whole report to a file, as JSON
  --logs 90d       bring the log rows of the last 90 days too; all: every row
  --salt-key KEY   the key that decrypts LiteLLM's models (default: the variable LITELLM_SALT_KEY)
`,
  takesArguments: true,
  run: async (args, context) => (await import('./cli/import.ts')).importCommand(args, context),
}

const writeOut: Command = {
  summary: 'write users, tokens, balances and channels as one document',
  usage: `Usage: tollgate export FILE [--with-secrets]

Writes users, tokens, channels, options and balances as one JSON document, which import reads. It may run beside the
gateway. docs/reference/export.md describes the document.

  --with-secrets   include passwords, keys and secret options, encrypted with the passphrase in EXPORT_PASSPHRASE
`,
  takesArguments: true,
  run: async (args, context) => (await import('./cli/export.ts')).exportCommand(args, context),
}

export const feature = defineFeature({
  migrations: [imports],
  commands: { import: bringIn, export: writeOut },
})
